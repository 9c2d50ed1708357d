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

/* One reading of all clocks at the same moment, as good as it gets. Stored in captures as it is. */
typedef struct StrobeClockPair {
    uint64_t ticks;
    int64_t monotonic_ns;
    int64_t realtime_ns;
    int64_t boottime_ns; /* as monotonic_ns, and goes on while the machine sleeps */
    double ns_per_tick;  /* as measured until then, 0: not known */
    uint32_t gap;        /* ticks that the reading took: `ticks` is off by half of it at most */
    uint32_t reserved;
} StrobeClockPair;

_Static_assert(sizeof(StrobeClockPair) == 48, "capture format");

/* `gap` of a pair that was not read but computed from others. */
#define STROBE_CLOCK_COMPUTED UINT32_MAX

/* What the choice of the clock rests on. */
typedef struct StrobeClockProbe {
    int (*is_invariant)(void); /* the processor's word: one rate, in every state of power */
    const char *source_path;   /* of the file in which the kernel names its own clock source */
} StrobeClockProbe;

/* This machine. */
extern const StrobeClockProbe strobe_clock_probe_host;

/* Can the counter be trusted? The processor must say so, and the kernel, which watches the counter,
 * must not have dropped it for another source. */
int strobe_clock_probe(const StrobeClockProbe *probe);

/* 1: the processor's counter is used. Set once by strobe_clock_init. */
extern int strobe_clock_counter;

/* Decides which clock to use; the first call counts. The second form is for tests. */
void strobe_clock_init(void);
void strobe_clock_init_with(const StrobeClockProbe *probe);

/* "tsc", "cntvct" or "CLOCK_MONOTONIC". */
const char *strobe_clock_name(void);

/* Best of some readings: the one whose counter reads lay closest together. */
StrobeClockPair strobe_clock_pair(void);

/* A rate is told when no more than this share of it is noise. */
#define STROBE_CLOCK_RATE_SHARE 0.0001

/* ns per tick and ticks per ns as measured since strobe_clock_init; good for deadlines and for
 * judging pairs, not for converting times. The first is 0 while that was too short ago. */
double strobe_clock_ns_per_tick(void);
double strobe_clock_rate(void);

static inline int64_t strobe_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The processor's counter, 0 where Strobe knows of none. */
static inline uint64_t strobe_clock_count(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    return 0;
#endif
}

static inline uint64_t strobe_clock_now(void)
{
    if (__builtin_expect(strobe_clock_counter, 1))
        return strobe_clock_count();
    return (uint64_t)strobe_clock_ns(CLOCK_MONOTONIC);
}

#endif
