/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on stderr with rate and remaining time, for work that takes over a second; none if
 * stderr is not a terminal. STROBE_BAR_FD names another descriptor, for a program that keeps the
 * command's stderr but shows its bar. A separate thread draws it, so that it appears and moves
 * without progress reports. */
#ifndef STROBE_TOOLS_PROGRESS_BAR_H
#define STROBE_TOOLS_PROGRESS_BAR_H

#include <glib.h>

/* In place of a fraction: the progress is unknown, and the bar counts seconds. */
#define STROBE_BAR_NO_SHARE (-1.0)

/* Reports progress. `user` is the label, a static text; a different label is a new bar. Has the
 * type of a StrobeProgress. Any thread. */
void strobe_bar_show(void *user, double share, guint64 n_records);
/* Ends the bar. Any thread. */
void strobe_bar_clear(void);
/* Clears its line for a message; the bar reappears below. Any thread. */
void strobe_bar_erase(void);

#endif
