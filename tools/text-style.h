/* SPDX-License-Identifier: Apache-2.0 */
/* Bold and colour of what is printed to stdout for people. */
#ifndef STROBE_TOOLS_TEXT_STYLE_H
#define STROBE_TOOLS_TEXT_STYLE_H

#include <glib.h>

typedef enum StrobeStyle {
    STROBE_STYLE_HEAD,    /* of a table */
    STROBE_STYLE_VERDICT, /* what its numbers mean */
    STROBE_STYLE_NOTE,    /* below it, of no weight */
    STROBE_STYLE_WARNING, /* below it, of weight */
    STROBE_STYLE_END
} StrobeStyle;

/* "always", "never" or "auto": in a terminal, unless NO_COLOR is set or TERM is "dumb". Without a
 * call there is no style. FALSE: another word. */
gboolean strobe_style_choose(const char *when);

/* What to print before the text, and STROBE_STYLE_END after it; "" without style. */
const char *strobe_style(StrobeStyle style);

/* Is stdout a terminal that can do more than letters? */
gboolean strobe_terminal_is_able(void);

#endif
