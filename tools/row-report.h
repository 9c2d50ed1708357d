/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the rows of a table as text or as JSON. */
#ifndef STROBE_TOOLS_ROW_REPORT_H
#define STROBE_TOOLS_ROW_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "show-rows.h"

/* Prints the rows on stdout as a grid, and below it a note about incomplete and hidden rows. */
void strobe_rows_print(const StrobeRows *rows);

/* Writes the rows as an array of objects. */
void strobe_rows_write(StrobeJsonWriter *json, const StrobeRows *rows);

#endif
