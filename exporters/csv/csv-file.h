/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CSV file: columns, cells, quotes where needed, CR LF; on disk from its first row on.
 *
 * A file whose rows are to be put in order, or whose columns are known at its end only, is held:
 * its rows wait in a sorter.
 */
#ifndef STROBE_CSV_CSV_FILE_H
#define STROBE_CSV_CSV_FILE_H

#include <strobe/exporter.h>
#include <strobe/helpers/external-sorter.h>

#include "csv-cells.h"

typedef struct CsvFile CsvFile;

/* In the folder of `self`, compressed if its option says so. `name` is copied. */
CsvFile *csv_file_new(const StrobeConsumerHost *host, StrobeInstance *self, const char *name);
/* Nothing appears of a file that was not finished. */
void csv_file_free(CsvFile *file);
const char *csv_file_name(const CsvFile *file);

/* Before the first row: its rows are put in order of their keys. */
void csv_file_hold(CsvFile *file);

enum { CSV_COLUMN_ALWAYS = -1 };

/* A further column; of a held file also between rows: rows without it are filled up with `N/A`.
 * `shown_with` is a column (this one too) without which, when it is not marked, this one is left
 * out. Returns its number. */
guint csv_file_add_column(CsvFile *file, const char *title, gint shown_with);
/* The column has a value. */
void csv_file_mark(CsvFile *file, guint column);

/* A new row; its cells go there. */
CsvCells *csv_file_begin_row(CsvFile *file);
/* Ends the row. 0 or an errno value. */
int csv_file_end_row(CsvFile *file, StrobeSortKey key);
guint64 csv_file_n_rows(const CsvFile *file);

/* No more rows come: the file appears, unless it has none. 0 or an errno value. */
int csv_file_finish(CsvFile *file);

#endif
