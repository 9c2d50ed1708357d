/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one kind in one file: an entry of the Ascend tables bound to a kind, or a kind's own
 * fields if no table has it.
 */
#ifndef STROBE_CSV_CSV_ROWS_H
#define STROBE_CSV_CSV_ROWS_H

#include <ascend.h>

#include "csv-context.h"
#include "csv-file.h"

typedef struct CsvRows CsvRows;

/* `unless`: adds nothing once this file has rows (may be NULL). `rank`: sorts the rows of a file
 * with several entries. `is_first`: the file has no columns yet. */
CsvRows *csv_rows_new_ascend(CsvContext *context, const AscendFile *entry, CsvFile *file,
                             const CsvFile *unless, gint64 rank, gboolean is_first,
                             const StrobeKindView *kind);
/* `with_device`: the last column is the device of the track. */
CsvRows *csv_rows_new_generic(CsvContext *context, CsvFile *file, const StrobeKindView *kind,
                              gboolean with_device);
void csv_rows_free(CsvRows *rows);

CsvFile *csv_rows_file(const CsvRows *rows);

/* Both return 0 or an errno value. */
int csv_rows_add(CsvRows *rows, const StrobeView *record);
int csv_rows_end(CsvRows *rows);

#endif
