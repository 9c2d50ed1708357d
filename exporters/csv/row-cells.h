/* SPDX-License-Identifier: Apache-2.0 */
/* Composes the cells of a row from the fields of a record. */
#ifndef STROBE_CSV_ROW_CELLS_H
#define STROBE_CSV_ROW_CELLS_H

#include "csv-cells.h"
#include "row-sources.h"

/* Writes the record's cells to `cells`. Returns 0 or an errno value. */
int row_cells_compose(const RowSources *row, CsvContext *context, CsvCells *cells,
                      const StrobeView *record);

#endif
