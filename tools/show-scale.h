/* SPDX-License-Identifier: Apache-2.0 */
/* Writes times and sizes in readable form, each in a suitable unit. */
#ifndef STROBE_TOOLS_SHOW_SCALE_H
#define STROBE_TOOLS_SHOW_SCALE_H

#include <glib.h>

/* Returns the value in a suitable unit: "12.5 ms" for 12500 and "us". NULL: `unit` is not a unit of
 * time or size. Free it. */
char *strobe_scale_text(double value, const char *unit);
gboolean strobe_scale_has_unit(const char *unit);

/* Returns the title of a column without a unit of time or size at its end, as in "Self us" or
 * "size(B)". Free it. */
char *strobe_scale_title(const char *title);

#endif
