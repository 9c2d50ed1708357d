/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a result directory that say when and how its window ended. */
#ifndef STROBE_CORE_RESULT_COMPLETION_H
#define STROBE_CORE_RESULT_COMPLETION_H

#include <json-glib/json-glib.h>
#include "clock.h"

/* Adds what is missing to the result directory of a capture whose program ended within its window
 * at `end`: the end to profiler_info, and the log. Other folders are left alone. */
void strobe_result_complete(int capture, const StrobeClockPair *end, const char *log,
                            gsize log_bytes);

/* The member end_info of profiler_info. */
JsonObject *strobe_result_end_info(const StrobeClockPair *end);
/* The name of the log (free it); `stamp` is the result directory's. */
char *strobe_result_log_name(const char *stamp, long pid);

#endif
