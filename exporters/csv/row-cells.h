/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a row: columns bound to the fields of a kind. */
#ifndef STROBE_CSV_ROW_CELLS_H
#define STROBE_CSV_ROW_CELLS_H

#include <ascend.h>

#include "csv-context.h"
#include "csv-file.h"

typedef struct RowCells RowCells;

/* Of an entry of the Ascend tables; `is_first`: the file has no columns yet. */
RowCells *row_cells_new_ascend(const CsvContext *context, const AscendFile *entry, CsvFile *file,
                               const StrobeKindView *kind, gboolean is_first);
/* All fields of a kind and, `with_device`, the device of the track. */
RowCells *row_cells_new_generic(const CsvContext *context, CsvFile *file,
                                const StrobeKindView *kind, gboolean with_device);
void row_cells_free(RowCells *row);

const StrobeColumn *row_cells_columns(const RowCells *row, guint32 *n);

/* A record's cells; by any thread, with a context that no other one has. 0 or an errno value. */
int row_cells_compose(const RowCells *row, CsvContext *context, CsvCells *cells,
                      const StrobeView *record);
/* Does composing them change what the file has for columns? */
gboolean row_cells_adds_columns(const RowCells *row, const StrobeView *record);

#endif
