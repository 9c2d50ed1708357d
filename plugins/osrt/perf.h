/* SPDX-License-Identifier: Apache-2.0 */
/* Records all system calls of the process with the kernel's trace points (perf_event_open), if that
 * is permitted. pthread functions appear only as the system calls that they make. */
#ifndef STROBE_PLUGINS_OSRT_PERF_H
#define STROBE_PLUGINS_OSRT_PERF_H

#include "osrt-context.h"

typedef struct OsrtPerf OsrtPerf;

/* Opens the trace points. Returns NULL with `errno` on failure, usually EPERM or ENOENT. `names`
 * are the names of system calls by number. */
OsrtPerf *osrt_perf_open(OsrtContext *context, StrobeKindId kind, const char *const *names,
                         size_t n_names);
void osrt_perf_close(OsrtPerf *perf);

/* Begins to record the existing threads, and all threads that they start. */
StrobeStatus osrt_perf_start(OsrtPerf *perf, uint64_t threshold_ns);
/* Records the events since the last call of this function. It is cheap if there are none. */
void osrt_perf_drain(OsrtPerf *perf, StrobeWriter *writer);
void osrt_perf_stop(OsrtPerf *perf, StrobeWriter *writer);

#endif
