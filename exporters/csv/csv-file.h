/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CSV file: columns, cells, quotes if needed, CR LF; on disk from its first row on.
 *
 * A file is held, with its rows in a sorter, if the rows must be sorted or if its columns are
 * only known at the end.
 */
#ifndef STROBE_CSV_CSV_FILE_H
#define STROBE_CSV_CSV_FILE_H

#include <strobe/exporter.h>
#include <strobe/helpers/external-sorter.h>

#include "csv-cells.h"

typedef struct CsvFile CsvFile;

/* A file in the output folder of `self`, compressed if the option `gzip` is set. `name` is
 * copied. */
CsvFile *csv_file_new(const StrobeConsumerHost *host, StrobeInstance *self, const char *name);
/* Removes the file if it was not finished. */
void csv_file_free(CsvFile *file);
const char *csv_file_name(const CsvFile *file);

/* Call it before the first row: the rows will be sorted by their keys. */
void csv_file_hold(CsvFile *file);

enum { CSV_COLUMN_ALWAYS = -1 };

/* Adds a column; in a held file also between rows: rows without it are filled with `N/A`. The
 * column is omitted unless column `shown_with` (possibly itself) is marked. Returns its number. */
guint csv_file_add_column(CsvFile *file, const char *title, gint shown_with);
/* Marks the column: it has a value in some row. */
void csv_file_mark(CsvFile *file, guint column);

/* Begins a row; returns its cells. */
CsvCells *csv_file_begin_row(CsvFile *file);
/* Ends the row. 0 or an errno value. */
int csv_file_end_row(CsvFile *file, StrobeSortKey key);
guint64 csv_file_n_rows(const CsvFile *file);

/* No more rows follow: the file appears, unless it has no rows. 0 or an errno value. */
int csv_file_finish(CsvFile *file);

#endif
