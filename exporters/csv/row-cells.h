/* SPDX-License-Identifier: Apache-2.0 */
/* The cells of a row, composed from its sources. */
#ifndef STROBE_CSV_ROW_CELLS_H
#define STROBE_CSV_ROW_CELLS_H

#include "csv-cells.h"
#include "row-sources.h"

/* Composes a record's cells. 0 or an errno value. */
int row_cells_compose(const RowSources *row, CsvContext *context, CsvCells *cells,
                      const StrobeView *record);

#endif
