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

/* The end of a window, as profiler_info has it. */
typedef struct StrobeResultEnd {
    gint64 realtime_ns;
    gint64 raw_ns; /* CLOCK_MONOTONIC_RAW, like the member start_info: readers compare both */
} StrobeResultEnd;

/* `pair` was read on this machine since its last start. */
StrobeResultEnd strobe_result_end(const StrobeClockPair *pair);
/* Returns the value of the member end_info of profiler_info (unref it). */
JsonObject *strobe_result_end_info(const StrobeResultEnd *end);
/* Returns the name of the log (free it). `stamp` is the time in the result directory's name. */
char *strobe_result_log_name(const char *stamp, long pid);

#endif
