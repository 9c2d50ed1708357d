/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a process that the kernel records (perf_event_open): one ring for each processor, read
 * in order of time. On every processor each existing thread gets its own events. A thread that is
 * started later inherits the events of the thread that starts it, if the attributes say so. libc
 * only.
 *
 * The caller must set PERF_SAMPLE_TID and PERF_SAMPLE_TIME in the attributes' sample_type, and must
 * not set PERF_SAMPLE_IP, so that the time has the same offset in all samples. Only one thread at a
 * time may call these functions for the same rings, except as strobe_perf_rings_wait says.
 * Since 1.0.
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

/* Calls perf_event_open and returns the descriptor, or -1 with errno. */
int strobe_perf_event_open(const struct perf_event_attr *attributes, pid_t tid, int processor);

/* Opens the `n` events for each thread of the process `pid`. `ring_bytes` (a power of two) is
 * halved until the kernel allows rings of this size. NULL with errno: ESRCH, there is no such
 * process; EMFILE, the events would take more than `most` descriptors; or an error of the
 * kernel. */
StrobePerfRings *strobe_perf_rings_open(const char *proc_root, pid_t pid,
                                        const struct perf_event_attr *attributes, uint32_t n,
                                        size_t ring_bytes, uint32_t most);
void strobe_perf_rings_close(StrobePerfRings *rings);

/* Returns the number of threads whose events were opened. */
uint32_t strobe_perf_rings_n_threads(const StrobePerfRings *rings);

/* Disables the events: none is recorded from now on. */
void strobe_perf_rings_disable(StrobePerfRings *rings);

/* Returns the number of events that were lost because a ring was full. Requires that the
 * attributes' read_format is PERF_FORMAT_LOST (Linux 6.0). The kernel's PERF_RECORD_LOST is
 * incomplete: it omits losses after the last recorded event. */
uint64_t strobe_perf_rings_lost(const StrobePerfRings *rings);

/* Waits until an event is recorded, at most `timeout_ms`; the attributes must make the kernel wake
 * the reader. Another thread may read the rings meanwhile, but must not close them. */
void strobe_perf_rings_wait(const StrobePerfRings *rings, int timeout_ms);

/* Returns a recent time (CLOCK_MONOTONIC, ns) before which all events are already readable in the
 * rings. */
uint64_t strobe_perf_settled_ns(void);

/* Returns the next event of all rings up to the time `until`, valid until the next call; NULL:
 * there is no such event. */
const struct perf_event_header *strobe_perf_rings_next(StrobePerfRings *rings, uint64_t until);

/* Returns the time of the event that strobe_perf_rings_next returned last (CLOCK_MONOTONIC, ns); 0:
 * the event has no time. */
uint64_t strobe_perf_rings_time(const StrobePerfRings *rings);

/* Returns 1 if thread `tid` is Strobe's own, which means that its name begins with "strobe-";
 * otherwise 0. */
int strobe_perf_is_own_thread(const char *proc_root, pid_t pid, uint32_t tid);

#if defined(__cplusplus)
}
#endif

#endif
