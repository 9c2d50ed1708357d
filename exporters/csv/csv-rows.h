/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of one kind in one file: an entry of the Ascend tables bound to a kind, or a kind's own
 * fields where no table has it.
 */
#ifndef STROBE_CSV_CSV_ROWS_H
#define STROBE_CSV_CSV_ROWS_H

#include <ascend.h>

#include "csv-context.h"
#include "csv-file.h"

typedef struct CsvRows CsvRows;

/* `unless`: nothing is added once this file has rows (may be NULL). `rank`: rows of a file with
 * several entries stand in the order of these. `is_first`: the file has no columns yet. */
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

/* What csv_rows_add() does, in parts. Does the record have a row? */
gboolean csv_rows_takes(CsvRows *rows, const StrobeView *record);
/* Of such a record, each once and in order. */
StrobeRowKey csv_rows_key(CsvRows *rows, const StrobeView *record);
/* Its cells; by any thread, with a context that no other one has. 0 or an errno value. */
int csv_rows_compose(CsvRows *rows, CsvContext *context, CsvCells *cells, const StrobeView *record);
/* Does what becomes of the record, or of later ones, depend on those before it being in their
 * files? Then it is added as a whole. */
gboolean csv_rows_waits(const CsvRows *rows, const StrobeView *record);

#endif
