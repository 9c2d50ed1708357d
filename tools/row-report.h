/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a table as text and as JSON. */
#ifndef STROBE_TOOLS_ROW_REPORT_H
#define STROBE_TOOLS_ROW_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "show-rows.h"

/* To stdout, as a grid; below it a note about incomplete and hidden rows. */
void strobe_rows_print(const StrobeRows *rows);

/* An array of objects. */
void strobe_rows_write(StrobeJsonWriter *json, const StrobeRows *rows);

#endif
