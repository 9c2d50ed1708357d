/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the links between causes and effects, which the pass correlation counts. */
#ifndef STROBE_TOOLS_LINK_REPORT_H
#define STROBE_TOOLS_LINK_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "capture-contents.h"
#include "show-rows.h"

/* Reads the links of a result. NULL: the capture has nothing that could be linked, the program
 * still writes it, or reading failed. `raw`: the rows are for strobe_links_write. Free them with
 * strobe_rows_free. */
StrobeRows *strobe_links_read(StrobeRegistry *registry, const StrobeResult *result,
                              const StrobeContents *contents, gboolean raw);

/* strobe_links_print prints the links as a table, strobe_links_write writes them as an array.
 * `links` may be NULL. */
void strobe_links_print(const StrobeRows *links);
void strobe_links_write(StrobeJsonWriter *json, const StrobeRows *links);

#endif
