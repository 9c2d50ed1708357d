/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the lines of the log that is written to each result directory: lines of every level. */
#ifndef STROBE_CORE_SESSION_LOG_H
#define STROBE_CORE_SESSION_LOG_H

#include <glib.h>

/* Begins and ends the collection of lines for the log. */
void strobe_session_log_begin(void);
void strobe_session_log_end(void);
/* Returns the log since the session's begin or since the last call (free it), and empties it. */
char *strobe_session_log_take(void);
/* Copies the whole log to the pool again, because its first lines may have been written before the
 * pool existed. */
void strobe_session_log_note(void);
/* Call it in a forked child: no further lines are added to the log. */
void strobe_session_log_reset(void);

#endif
