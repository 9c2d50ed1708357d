/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes one CSV file: the titles of the columns, and rows of cells. Rows end with CR LF. A file
 * without rows does not appear on disk. A file whose rows must be sorted, or whose columns are
 * known only at the end, is held: its rows wait in a sorter.
 */
#ifndef STROBE_CSV_CSV_FILE_H
#define STROBE_CSV_CSV_FILE_H

#include <strobe/exporter.h>
#include <strobe/helpers/external-sorter.h>

#include "csv-cells.h"

typedef struct CsvFile CsvFile;

/* Creates a file in the output folder of `self`; compresses it if the option `gzip` is set. `name`
 * is copied. */
CsvFile *csv_file_new(const StrobeConsumerHost *host, StrobeInstance *self, const char *name);
/* Frees the file. Removes it from disk if it was not finished. */
void csv_file_free(CsvFile *file);
const char *csv_file_name(const CsvFile *file);

/* Makes the file a held file, whose rows are sorted by their keys. Must be called before the first
 * row. */
void csv_file_hold(CsvFile *file);

enum { CSV_COLUMN_ALWAYS = -1 };

/* Adds a column and returns its number. In a held file the caller may add columns even between
 * rows: rows without a cell for the column get `N/A`. The column is omitted from the file unless
 * column `shown_with` (possibly the same column) is marked. */
guint csv_file_add_column(CsvFile *file, const char *title, gint shown_with);
/* Marks the column: a row has a value in it. */
void csv_file_mark(CsvFile *file, guint column);

/* Begins a row. Returns its cells, to which the caller adds. */
CsvCells *csv_file_begin_row(CsvFile *file);
/* Ends the row. Returns 0 or an errno value. */
int csv_file_end_row(CsvFile *file, StrobeSortKey key);
guint64 csv_file_n_rows(const CsvFile *file);

/* Completes the file and gives it its name. If there are no rows, makes no file. Returns 0 or an
 * errno value. Must be called after the last row. */
int csv_file_finish(CsvFile *file);

#endif
