/* SPDX-License-Identifier: Apache-2.0 */
/* Samples the processor use of the process's threads, from schedstat in ns. The files of the first
 * threads stay open; the other threads are read in rotation. `stat` is read less often, for the
 * values that are not in schedstat. */
#ifndef STROBE_PLUGINS_HOST_SYS_THREADS_H
#define STROBE_PLUGINS_HOST_SYS_THREADS_H

#include "host-sys-context.h"

#define HOST_PROCESSORS_MAX 1024

typedef struct HostThreads HostThreads;

/* The values of the process in one round, which is one sample. */
typedef struct HostRound {
    int is_complete; /* every thread was read in this round and in the previous round */
    int has_wait;
    double wait;                       /* % of one processor */
    double usage[HOST_PROCESSORS_MAX]; /* % by the processor that a thread ran on last */
    uint32_t n_processors;             /* the highest number of a processor that was used, plus 1 */
} HostRound;

/* Opens the folder of the threads, `proc_root`/PID/task. Returns NULL with errno on failure. */
HostThreads *host_threads_open(HostContext *context);
void host_threads_close(HostThreads *threads);

void host_threads_start(HostThreads *threads);
/* Reads and records the threads. `n_threads` is their number; if it has changed, the function looks
 * for new threads. */
void host_threads_sample(HostThreads *threads, StrobeWriter *writer, uint32_t n_threads,
                         HostRound *round);

#endif
