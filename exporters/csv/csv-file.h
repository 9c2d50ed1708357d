/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One CSV file: columns, cells, quotes where needed, CR LF; on disk from its first row on.
 *
 * A file whose rows are to be put in order, or whose columns are known at its end only, is held:
 * its rows wait in a sorter.
 */
#ifndef STROBE_CSV_CSV_FILE_H
#define STROBE_CSV_CSV_FILE_H

#include <glib.h>
#include <string.h>
#include <strobe/exporter.h>
#include <strobe/helpers/row-sorter.h>

typedef struct CsvFile CsvFile;

/* `name` is copied. */
CsvFile *csv_file_new(const StrobeFacts *facts, const char *name, gboolean gzip);
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

/* A row, cell by cell: bytes that may need quotes, and such as do not. */
void csv_file_cell(CsvFile *file, const char *bytes, gsize length);
void csv_file_put(CsvFile *file, const char *bytes, gsize length);
/* Ends the row. 0 or an errno value. */
int csv_file_end_row(CsvFile *file, StrobeRowKey key);
guint64 csv_file_n_rows(const CsvFile *file);

/* 0 or an errno value. A file without rows does not appear. */
int csv_file_finish(CsvFile *file);

/* Text of a cell with quotes, where it needs them; appended. */
void csv_quote(GString *out, const char *bytes, gsize length);

#endif
