/* SPDX-License-Identifier: Apache-2.0 */
/* Messages to the user, on stderr; a session also writes them to its log file. */
#ifndef STROBE_CORE_LOG_H
#define STROBE_CORE_LOG_H

#include <glib.h>
#include <strobe/plugin.h>

/* Prints one line. ERROR and WARNING appear as "strobe: warning: ..."; INFO and DEBUG only with
 * STROBE_LOG=info or debug. Any thread. */
void strobe_log(gint32 level, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Sets the function that is called with each line of any level; NULL removes it. Returns the
 * previous function, NULL if there was none. */
typedef void (*StrobeLogSink)(gint32 level, const char *text);
StrobeLogSink strobe_log_set_sink(StrobeLogSink sink);

#endif
