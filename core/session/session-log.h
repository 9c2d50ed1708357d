/* SPDX-License-Identifier: Apache-2.0 */
/* The log in each result directory: every line, of any level. */
#ifndef STROBE_CORE_SESSION_LOG_H
#define STROBE_CORE_SESSION_LOG_H

#include <glib.h>

/* Begin and end to keep lines. */
void strobe_session_log_begin(void);
void strobe_session_log_end(void);
/* The log since the session's begin or the last window (free it); starts again. */
char *strobe_session_log_take(void);
/* Copies the whole log to the pool again, because the first lines may be older than the pool. */
void strobe_session_log_note(void);
/* In a forked child. */
void strobe_session_log_reset(void);

#endif
