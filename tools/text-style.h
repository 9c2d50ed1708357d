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

/* Chooses whether text has styles. `when` is "always", "never" or "auto"; "auto" means only in a
 * terminal, and only if NO_COLOR is not set and TERM is not "dumb". Without a call there are no
 * styles. FALSE: `when` is another word. */
gboolean strobe_style_choose(const char *when);

/* Returns the characters that begin the style, or "" if text has no styles. The caller must print
 * them before a text, and those of STROBE_STYLE_END after it. */
const char *strobe_style(StrobeStyle style);

/* Whether stdout is a terminal that can show styles. */
gboolean strobe_terminal_is_able(void);

#endif
