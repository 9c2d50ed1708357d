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

/* Chooses whether text has styles: "always", "never", or "auto", which means in a terminal, unless
 * NO_COLOR is set or TERM is "dumb". Without a call there are no styles. FALSE: `when` is another
 * word. */
gboolean strobe_style_choose(const char *when);

/* Returns what must be printed before the text; STROBE_STYLE_END must be printed after it. "" if
 * there are no styles. */
const char *strobe_style(StrobeStyle style);

/* Is stdout a terminal that can show styles? */
gboolean strobe_terminal_is_able(void);

#endif
