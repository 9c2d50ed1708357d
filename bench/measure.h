/* SPDX-License-Identifier: Apache-2.0 */
/* Common functions of the benchmark programs: time, the floor, sessions, and the printing of
 * samples for bench.py. They use only libstrobe's public interface. */
#ifndef STROBE_BENCH_MEASURE_H
#define STROBE_BENCH_MEASURE_H

#include <stdint.h>
#include <strobe/strobe.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/* Reads the processor's counter, or the clock if there is no counter. No timing can be faster than
 * this. */
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

/* Returns a number that looks random, always the same for the same `number`, and different for
 * different ones (splitmix64). */
static inline uint64_t scatter_number(uint64_t number)
{
    number += 0x9e3779b97f4a7c15u;
    number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 27) * 0x94d049bb133111ebu;
    return number ^ number >> 31;
}

/* Returns CLOCK_MONOTONIC in ns. */
double now_ns(void);

/* Returns the largest resident memory of this process so far, in bytes. */
double peak_bytes(void);

/* Ends the benchmark with a message. */
void fail(const char *what, const char *why) __attribute__((noreturn));

/* Returns a number from the command line; `otherwise` if the argument is missing. */
long number_argument(int argc, char **argv, int index, long otherwise);

/* Starts a session whose results are below `folder`. `more` is further JSON for its configuration,
 * or "". The session has only the collectors that `more` names. */
StrobeSession *session_begin_with(const char *folder, const char *more);
StrobeSession *session_begin(const char *folder);
/* Stops the session. Returns the time that this takes in ns. */
double session_stop(StrobeSession *session);

/* Writes `bytes` bytes to a new file in `folder`, 256 KB at a time. Returns the time that this
 * takes in ns. */
double plain_write(const char *folder, double bytes);

/* A series of numbers, which is printed as one line: {"name": NAME, "samples": [...]}. */
typedef struct Samples {
    const char *name;
    double values[1000];
    unsigned n;
} Samples;

void samples_add(Samples *samples, double value);
void samples_print(const Samples *samples);

#endif
