/* SPDX-License-Identifier: Apache-2.0 */
/* Bold and coloured output on stdout for people. */
#ifndef STROBE_TOOLS_TEXT_STYLE_H
#define STROBE_TOOLS_TEXT_STYLE_H

#include <glib.h>

typedef enum StrobeStyle {
    STROBE_STYLE_HEAD,    /* of a table */
    STROBE_STYLE_VERDICT, /* explains the numbers */
    STROBE_STYLE_NOTE,    /* below the table, less important */
    STROBE_STYLE_WARNING, /* below the table, important */
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
