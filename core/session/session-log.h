/* SPDX-License-Identifier: Apache-2.0 */
/* The log that goes into each result directory: every line, whatever its level. */
#ifndef STROBE_CORE_SESSION_LOG_H
#define STROBE_CORE_SESSION_LOG_H

#include <glib.h>

/* Begins and ends keeping lines. */
void strobe_session_log_begin(void);
void strobe_session_log_end(void);
/* What was logged since the session or the last window (free it); `forget` begins anew. */
char *strobe_session_log_text(gboolean forget);
/* In a forked child. */
void strobe_session_log_reset(void);

#endif
