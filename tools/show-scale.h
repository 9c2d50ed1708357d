/* SPDX-License-Identifier: Apache-2.0 */
/* Times and sizes as people read them, in the unit that suits each. */
#ifndef STROBE_TOOLS_SHOW_SCALE_H
#define STROBE_TOOLS_SHOW_SCALE_H

#include <glib.h>

/* "12.5 ms" of 12500 and "us"; NULL: the unit is none of time or size. Free it. */
char *strobe_scale_text(double value, const char *unit);
gboolean strobe_scale_has_unit(const char *unit);

/* A column's title without the unit of time or size at its end: "Self us", "size(B)". Free it. */
char *strobe_scale_title(const char *title);

#endif
