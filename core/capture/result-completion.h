/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a result directory that record when and how its window ended. */
#ifndef STROBE_CORE_RESULT_COMPLETION_H
#define STROBE_CORE_RESULT_COMPLETION_H

#include <json-glib/json-glib.h>
#include "clock.h"

/* Completes the result directory of a capture whose program ended within its window at `end`:
 * adds the end to profiler_info, and the log. Leaves other folders unchanged. */
void strobe_result_complete(int capture, const StrobeClockPair *end, const char *log,
                            gsize log_bytes);

/* Returns the value of the member end_info of profiler_info, for the end `end` of a window (unref
 * it). */
JsonObject *strobe_result_end_info(const StrobeClockPair *end);
/* Returns the name of the log (free it). `stamp` is the time in the result directory's name. */
char *strobe_result_log_name(const char *stamp, long pid);

#endif
