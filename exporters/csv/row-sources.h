/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the columns of a row to the fields of a kind, from which its cells come. */
#ifndef STROBE_CSV_ROW_SOURCES_H
#define STROBE_CSV_ROW_SOURCES_H

#include <ascend.h>
#include <strobe/helpers/number.h>

#include "csv-context.h"
#include "csv-file.h"
#include "metric-columns.h"

/* Room for a separator and either a number or the text of an absent value. */
#define CELL_ROOM (STROBE_NUMBER_MAX + 16u)
#define ABSENT_SIZE 16u /* size of the text of an absent value, and of its copies */

/* Types of sources, from which the cells of a column come. */
enum {
    SOURCE_U8 = 0,
    SOURCE_U32,
    SOURCE_I32,
    SOURCE_U64,
    SOURCE_I64,
    SOURCE_BEGIN,
    SOURCE_DURATION,
    SOURCE_TRACK,
    SOURCE_F64,
    SOURCE_NAME,
    SOURCE_TEXT, /* a field with a string or a stack */
    SOURCE_WORD, /* a field with a string, of which some texts differ between the generations */
    SOURCE_PREFIXED,
    SOURCE_METRICS,
    SOURCE_OTHER /* a column that only the SDK's functions for tables can read */
};

typedef struct Source {
    guint8 type, cache; /* CELL_CACHE_* */
    gboolean is_optional;
    guint32 form;   /* STROBE_CELL_* */
    guint32 offset; /* offset of the field */
    guint32 place;  /* the column's offset, which strobe_table_bind returned */
    guint column;   /* index of the column in the file; of metrics: of the first column */
    guint n_absent;
    char absent[ABSENT_SIZE]; /* text of an absent value */
    /* the texts that differ between the generations; NULL: the column has no such text */
    const AscendWord *word;
} Source;

typedef struct RowSources {
    CsvFile *file;
    const AscendFile *entry; /* NULL: the rows have all fields of the kind */
    StrobeColumn *columns;
    guint32 n_columns;
    gboolean escapes; /* texts that a spreadsheet would read as a formula are escaped */
    gsize room;       /* room for all cells of a row, without long texts */
    Source *sources;
    MetricColumns *metrics;
    guint32 metrics_offset; /* offset of the metrics' names */
    guint32 values;         /* offset of the first value of the metrics */
    guint n_values;
} RowSources;

/* Binds the columns of an entry of the Ascend tables; `is_first`: the file has no columns yet. */
RowSources *row_sources_new_ascend(const CsvContext *context, const AscendFile *entry,
                                   CsvFile *file, const StrobeKindView *kind, gboolean is_first);
/* Binds all fields of a kind. `with_device`: a column with the device of the track follows. */
RowSources *row_sources_new_generic(const CsvContext *context, CsvFile *file,
                                    const StrobeKindView *kind, gboolean with_device);
void row_sources_free(RowSources *row);

const StrobeColumn *row_sources_columns(const RowSources *row, guint32 *n);

#endif
