/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of the process by the kernel's own trace points (perf_event_open), where that is
 * permitted: all of them, whoever makes them, but no calls of pthread as such. */
#ifndef STROBE_PLUGINS_OSRT_PERF_H
#define STROBE_PLUGINS_OSRT_PERF_H

#include "osrt-context.h"

typedef struct OsrtPerf OsrtPerf;

/* NULL: `errno` tells, EPERM or ENOENT as a rule. `names` are those of system calls by number. */
OsrtPerf *osrt_perf_open(OsrtContext *context, StrobeKindId kind, const char *const *names,
                         size_t n_names);
void osrt_perf_close(OsrtPerf *perf);

/* From now on, for the threads that there are and those that they start. */
StrobeStatus osrt_perf_start(OsrtPerf *perf, uint64_t threshold_ns);
/* Records what has been told since; cheap where there is nothing. */
void osrt_perf_drain(OsrtPerf *perf, StrobeWriter *writer);
void osrt_perf_stop(OsrtPerf *perf, StrobeWriter *writer);

#endif
