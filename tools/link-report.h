/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the links that the pass correlation counted. */
#ifndef STROBE_TOOLS_LINK_REPORT_H
#define STROBE_TOOLS_LINK_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "capture-contents.h"
#include "show-rows.h"

/* Reads the links. NULL: there is nothing to count, or the program still writes the capture. `raw`:
 * for strobe_links_write. Free it with strobe_rows_free. */
StrobeRows *strobe_links_read(StrobeRegistry *registry, const StrobeResult *result,
                              const StrobeContents *contents, gboolean raw);

/* `links` may be NULL in both functions. strobe_links_write writes an array. */
void strobe_links_print(const StrobeRows *links);
void strobe_links_write(StrobeJsonWriter *json, const StrobeRows *links);

#endif
