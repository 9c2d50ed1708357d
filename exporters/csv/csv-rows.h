/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the rows of one kind to one file. The rows have the columns of an entry of the Ascend
 * tables or, if no entry has the kind, all fields of the kind.
 */
#ifndef STROBE_CSV_CSV_ROWS_H
#define STROBE_CSV_CSV_ROWS_H

#include <ascend.h>

#include "csv-context.h"
#include "csv-file.h"

typedef struct CsvRows CsvRows;

/* Makes the rows of an entry of the Ascend tables. `unless`: once this file has rows, no more rows
 * are added (NULL: no such file). `rank`: sort key of this entry's rows, if the file has several
 * entries. `is_first`: the file has no columns yet. */
CsvRows *csv_rows_new_ascend(CsvContext *context, const AscendFile *entry, CsvFile *file,
                             const CsvFile *unless, gint64 rank, gboolean is_first,
                             const StrobeKindView *kind);
/* Makes rows with all fields of a kind. `with_device`: the last column is the device of the
 * track. */
CsvRows *csv_rows_new_generic(CsvContext *context, CsvFile *file, const StrobeKindView *kind,
                              gboolean with_device);
void csv_rows_free(CsvRows *rows);

CsvFile *csv_rows_file(const CsvRows *rows);

/* csv_rows_add and csv_rows_end return 0 or an errno value. */
int csv_rows_add(CsvRows *rows, const StrobeView *record);
int csv_rows_end(CsvRows *rows);

#endif
