/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host clock: the processor's counter where it can be trusted, else CLOCK_MONOTONIC in ns.
 * Counts are converted to time when a capture is read, by stored pairs. libc only.
 */
#ifndef STROBE_CORE_CLOCK_H
#define STROBE_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* One reading of all clocks at the same moment, as good as it gets. */
typedef struct StrobeClockPair {
    uint64_t ticks;
    int64_t monotonic_ns;
    int64_t realtime_ns;
} StrobeClockPair;

/* 1: the processor's counter is used. Set once by strobe_clock_init. */
extern int strobe_clock_counter;

/* Decides which clock to use; the first call counts. */
void strobe_clock_init(void);

/* Best of a few readings: the one whose counter reads lay closest together. */
StrobeClockPair strobe_clock_pair(void);

/* Ticks per ns, measured since strobe_clock_init; good for deadlines, not for converting times. */
double strobe_clock_rate(void);

static inline int64_t strobe_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t strobe_clock_now(void)
{
#if defined(__x86_64__)
    if (__builtin_expect(strobe_clock_counter, 1))
        return __rdtsc();
#elif defined(__aarch64__)
    if (__builtin_expect(strobe_clock_counter, 1)) {
        uint64_t value;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
        return value;
    }
#endif
    return (uint64_t)strobe_clock_ns(CLOCK_MONOTONIC);
}

#endif
