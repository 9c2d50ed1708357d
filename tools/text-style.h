/* SPDX-License-Identifier: Apache-2.0 */
/* Bold and coloured output on stdout for people. */
#ifndef STROBE_TOOLS_TEXT_STYLE_H
#define STROBE_TOOLS_TEXT_STYLE_H

#include <glib.h>

typedef enum StrobeStyle {
    STROBE_STYLE_HEAD,    /* heading of a table */
    STROBE_STYLE_VERDICT, /* line above a table that explains its numbers */
    STROBE_STYLE_NOTE,    /* less important line below a table */
    STROBE_STYLE_WARNING, /* important line below a table */
    STROBE_STYLE_END
} StrobeStyle;

/* "always", "never" or "auto": in a terminal, unless NO_COLOR is set or TERM is "dumb". Without
 * a call there is no style. FALSE: another value. */
gboolean strobe_style_choose(const char *when);

/* Printed before the text, and STROBE_STYLE_END after it; "" without style. */
const char *strobe_style(StrobeStyle style);

/* Is stdout a terminal with styles? */
gboolean strobe_terminal_is_able(void);

#endif
