/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host clock: the processor's counter if it can be trusted, otherwise CLOCK_MONOTONIC in ns.
 * The reader of a capture converts counts to time with the stored pairs. libc only.
 */
#ifndef STROBE_CORE_CLOCK_H
#define STROBE_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* A pair: all clocks, read at nearly the same moment. Captures contain this struct unchanged. */
typedef struct StrobeClockPair {
    uint64_t ticks;
    int64_t monotonic_ns;
    int64_t realtime_ns;
    int64_t boottime_ns; /* CLOCK_BOOTTIME, which also counts while the machine is suspended */
    double ns_per_tick;  /* rate measured until this reading, 0: unknown */
    uint32_t gap;        /* duration of the reading in ticks; `ticks` is off by at most half of
                          * it */
    uint32_t reserved;
} StrobeClockPair;

_Static_assert(sizeof(StrobeClockPair) == 48, "capture format");

/* `gap` of a pair that was computed from other pairs instead of read. */
#define STROBE_CLOCK_COMPUTED UINT32_MAX

/* Sources of information for the choice of the clock. */
typedef struct StrobeClockProbe {
    int (*is_invariant)(void); /* the processor's flag: the counter has one rate in all power
                                * states */
    const char *source_path;   /* path of the file in which the kernel names its own clock source */
} StrobeClockProbe;

/* The probe of the machine on which this code runs. */
extern const StrobeClockProbe strobe_clock_probe_host;

/* Can the counter be trusted? The processor must have the flag for an invariant counter, and the
 * kernel, which checks the counter all the time, must not have replaced it by another clock
 * source. */
int strobe_clock_probe(const StrobeClockProbe *probe);

/* 1: the host clock is the processor's counter; 0: it is CLOCK_MONOTONIC. strobe_clock_init sets it
 * once. */
extern int strobe_clock_counter;

/* Chooses the clock; later calls do nothing. strobe_clock_init_with is for tests. */
void strobe_clock_init(void);
void strobe_clock_init_with(const StrobeClockProbe *probe);

/* Returns the name of the host clock: "tsc", "cntvct" or "CLOCK_MONOTONIC". */
const char *strobe_clock_name(void);

/* Returns the best of several readings: the reading with the shortest time between its two reads of
 * the counter. */
StrobeClockPair strobe_clock_pair(void);

/* Returns the time of CLOCK_MONOTONIC_RAW at the moment of a pair, which was read on this machine
 * since its last start. Uses the present distance of the two clocks, which changes slowly: NTP
 * adjusts only the rate of CLOCK_MONOTONIC. */
int64_t strobe_clock_raw_ns(const StrobeClockPair *pair);

/* strobe_clock_ns_per_tick returns a rate only if at most this share of it is noise. */
#define STROBE_CLOCK_RATE_SHARE 0.0001

/* Return ns per tick and ticks per ns, measured since strobe_clock_init. The rates are exact enough
 * for deadlines and for judging pairs, but not for converting times. strobe_clock_ns_per_tick is 0
 * until enough time has passed. */
double strobe_clock_ns_per_tick(void);
double strobe_clock_rate(void);

static inline int64_t strobe_clock_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns the processor's counter; 0 if Strobe knows none. */
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
