/* SPDX-License-Identifier: Apache-2.0 */
#include "text-style.h"

#include <string.h>
#include <unistd.h>

static gboolean is_on;

gboolean strobe_terminal_is_able(void)
{
    const char *term = g_getenv("TERM");

    return isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb") != 0;
}

gboolean strobe_style_choose(const char *when)
{
    const char *no_color = g_getenv("NO_COLOR");

    if (strcmp(when, "auto") == 0)
        is_on = strobe_terminal_is_able() && !(no_color && *no_color);
    else if (strcmp(when, "always") == 0)
        is_on = TRUE;
    else if (strcmp(when, "never") == 0)
        is_on = FALSE;
    else
        return FALSE;
    return TRUE;
}

const char *strobe_style(StrobeStyle style)
{
    static const char *const codes[] = {
        [STROBE_STYLE_HEAD] = "\033[1m", [STROBE_STYLE_VERDICT] = "\033[1;36m",
        [STROBE_STYLE_NOTE] = "\033[2m", [STROBE_STYLE_WARNING] = "\033[33m",
        [STROBE_STYLE_END] = "\033[0m",
    };

    return is_on ? codes[style] : "";
}
