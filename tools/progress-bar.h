/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on stderr, with rate and remaining time, for work that takes over a second. Without a
 * terminal there is no bar. STROBE_BAR_FD names another descriptor, for a program that captures the
 * command's stderr but shows its bar. A separate thread draws the bar, so that it also appears and
 * moves without progress reports. */
#ifndef STROBE_TOOLS_PROGRESS_BAR_H
#define STROBE_TOOLS_PROGRESS_BAR_H

#include <glib.h>

/* Value instead of a fraction: the progress is not known, and the bar counts seconds. */
#define STROBE_BAR_NO_SHARE (-1.0)

/* Reports progress. `user` is the label, a static text; another label begins a new bar. The
 * function is a StrobeProgress. Any thread may call it. */
void strobe_bar_show(void *user, double share, guint64 n_records);
/* Ends the bar. Any thread may call it. */
void strobe_bar_clear(void);
/* Clears the line of the bar for a message; the bar appears again below the message. Any thread may
 * call it. */
void strobe_bar_erase(void);

#endif
