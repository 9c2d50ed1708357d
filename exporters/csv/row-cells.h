/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a row, composed from its sources. */
#ifndef STROBE_CSV_ROW_CELLS_H
#define STROBE_CSV_ROW_CELLS_H

#include "csv-cells.h"
#include "row-sources.h"

/* A record's cells; by any thread, with a context that no other one has. 0 or an errno value. */
int row_cells_compose(const RowSources *row, CsvContext *context, CsvCells *cells,
                      const StrobeView *record);
/* Does composing them change what the file has for columns? */
gboolean row_cells_adds_columns(const RowSources *row, const StrobeView *record);

#endif
