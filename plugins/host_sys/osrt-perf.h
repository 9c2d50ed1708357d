/* SPDX-License-Identifier: Apache-2.0 */
/* System calls of the process by the kernel's own trace points (perf_event_open), where that is
 * permitted: all of them, whoever makes them, but no calls of pthread as such. */
#ifndef STROBE_PLUGINS_HOST_SYS_OSRT_PERF_H
#define STROBE_PLUGINS_HOST_SYS_OSRT_PERF_H

#include "context.h"

typedef struct HostPerf HostPerf;

/* NULL: `errno` tells, EPERM or ENOENT as a rule. `names` are those of system calls by number. */
HostPerf *host_perf_open(HostContext *context, StrobeKindId kind, const char *const *names,
                         size_t n_names);
void host_perf_close(HostPerf *perf);

/* From now on, for the threads that there are and those that they start. */
StrobeStatus host_perf_start(HostPerf *perf, uint64_t threshold_ns);
/* Records what has been told since; cheap where there is nothing. */
void host_perf_drain(HostPerf *perf, StrobeWriter *writer);
void host_perf_stop(HostPerf *perf, StrobeWriter *writer);

#endif
