/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark programs share: time, the floor, a session of their own, and the samples that
 * they print for bench.py. Libstrobe's public interface only. */
#ifndef STROBE_BENCH_MEASURE_H
#define STROBE_BENCH_MEASURE_H

#include <stdint.h>
#include <strobe/strobe.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* The floor of all timing: the processor's counter, or the clock where there is none. */
static inline uint64_t read_counter(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t value;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
    return value;
#else
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

static inline void keep_value(uint64_t value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

/* Of one number always the same one, and another one of each other (splitmix64). */
static inline uint64_t scatter_number(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* CLOCK_MONOTONIC in ns. */
double now_ns(void);

/* Most bytes that this process had in memory at one time. */
double peak_bytes(void);

/* Ends the benchmark with a message. */
void fail(const char *what, const char *why) __attribute__((noreturn));

/* A number from the command line, `otherwise` where there is none. */
long number_argument(int argc, char **argv, int index, long otherwise);

/* A running session whose results go below `folder`; `more` is further JSON of its configuration,
 * "" for none. It has the collectors that `more` names, else none. */
StrobeSession *session_begin_with(const char *folder, const char *more);
StrobeSession *session_begin(const char *folder);
/* Stops it; the time that took in ns. */
double session_stop(StrobeSession *session);

/* ns that writing so many bytes to a new file in `folder` takes, 256 KB at a time. */
double plain_write(const char *folder, double bytes);

/* A series of numbers, printed as one line: {"name": NAME, "samples": [...]}. */
typedef struct Samples {
    const char *name;
    double values[1000];
    unsigned n;
} Samples;

void samples_add(Samples *samples, double value);
void samples_print(const Samples *samples);

#endif
