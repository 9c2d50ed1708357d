/* SPDX-License-Identifier: Apache-2.0 */
/* One CSV file: cells, quotes where needed, CR LF; on disk from its first row on. */
#ifndef STROBE_CSV_CSV_FILE_H
#define STROBE_CSV_CSV_FILE_H

#include <glib.h>

typedef struct CsvFile CsvFile;

/* `name` is copied. `sorted`: rows are put in order of their time. */
CsvFile *csv_file_new(int directory, const char *name, gboolean sorted);
/* Nothing appears of a file that was not finished. */
void csv_file_free(CsvFile *file);

const char *csv_file_name(const CsvFile *file);

/* A row, cell by cell. */
void csv_file_cell(CsvFile *file, const char *bytes, gsize length);
/* Ends the row. The first row is the header, which is never sorted. 0 or an errno value. */
int csv_file_end_row(CsvFile *file, gint64 time_ns);

/* 0 or an errno value. A file of a header only does not appear. */
int csv_file_finish(CsvFile *file);

#endif
