/* SPDX-License-Identifier: Apache-2.0 */
/* A bar on stderr with rate and time left, for what takes over a second; nothing when stderr is no
 * terminal. A thread of its own draws it, so that it is there and goes on while nobody tells
 * anything. */
#ifndef STROBE_TOOLS_PROGRESS_BAR_H
#define STROBE_TOOLS_PROGRESS_BAR_H

#include <glib.h>

/* As a share: how far it is cannot be told, and the seconds are counted. */
#define STROBE_BAR_NO_SHARE (-1.0)

/* How far it is. `user` is the label, a text that stays: another one is another bar. Has the form
 * of a StrobeProgress. Any thread. */
void strobe_bar_show(void *user, double share, guint64 n_records);
/* Ends the bar. Any thread. */
void strobe_bar_clear(void);
/* Makes its line free for a message; it comes again below. Any thread. */
void strobe_bar_erase(void);

#endif
