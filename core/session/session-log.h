/* SPDX-License-Identifier: Apache-2.0 */
/* The log that goes into each result directory: every line, whatever its level. */
#ifndef STROBE_CORE_SESSION_LOG_H
#define STROBE_CORE_SESSION_LOG_H

#include <glib.h>

/* Begins and ends keeping lines. */
void strobe_session_log_begin(void);
void strobe_session_log_end(void);
/* What was logged since the session or the last window (free it); begins anew. */
char *strobe_session_log_take(void);
/* Notes all of it in the pool anew: the recorder may be younger than the first lines. */
void strobe_session_log_note(void);
/* In a forked child. */
void strobe_session_log_reset(void);

#endif
