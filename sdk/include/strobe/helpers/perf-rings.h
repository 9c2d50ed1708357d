/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a process that the kernel records (perf_event_open): one ring for each processor, read
 * in order of time. The threads that there are have an event each on every processor; what they
 * start inherits it where the attributes say so. libc only.
 *
 * Samples have PERF_SAMPLE_TID and PERF_SAMPLE_TIME and no PERF_SAMPLE_IP, so that their time
 * always lies in one place. One thread at a time. Since 1.0.
 */
#ifndef STROBE_HELPERS_PERF_RINGS_H
#define STROBE_HELPERS_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct StrobePerfRings StrobePerfRings;

/* perf_event_open; -1 with errno. */
int strobe_perf_event_open(const struct perf_event_attr *attributes, pid_t tid, int processor);

/* Opens the events for the process's threads. `ring_bytes` (a power of two) is halved until the
 * kernel allows as much. NULL with errno: ESRCH, there is no such process; EMFILE, it takes more
 * than `most` descriptors; and what the kernel says. */
StrobePerfRings *strobe_perf_rings_open(const char *proc_root, pid_t pid,
                                        const struct perf_event_attr *attributes, uint32_t n,
                                        size_t ring_bytes, uint32_t most);
void strobe_perf_rings_close(StrobePerfRings *rings);

/* Threads whose events were opened. */
uint32_t strobe_perf_rings_n_threads(const StrobePerfRings *rings);

/* No event is recorded from now on. */
void strobe_perf_rings_disable(StrobePerfRings *rings);

/* Events that found no room, where the attributes' read_format is PERF_FORMAT_LOST (Linux 6.0). The
 * kernel's PERF_RECORD_LOST leaves out those after which nothing was recorded. */
uint64_t strobe_perf_rings_lost(const StrobePerfRings *rings);

/* Waits until something is recorded, where the attributes have the kernel wake a reader, at most so
 * long. Needs no more than that the rings are open: another thread may read them. */
void strobe_perf_rings_wait(const StrobePerfRings *rings, int timeout_ms);

/* Until when all that has happened is surely to be seen: CLOCK_MONOTONIC, ns. */
uint64_t strobe_perf_settled_ns(void);

/* The next event of all rings up to that time, valid until the next call; NULL: there is none. */
const struct perf_event_header *strobe_perf_rings_next(StrobePerfRings *rings, uint64_t until);

/* When the event happened that was returned last: CLOCK_MONOTONIC, ns; 0: it has no time. */
uint64_t strobe_perf_rings_time(const StrobePerfRings *rings);

/* Strobe's own threads have names that begin so. */
int strobe_perf_is_own_thread(const char *proc_root, pid_t pid, uint32_t tid);

#if defined(__cplusplus)
}
#endif

#endif
