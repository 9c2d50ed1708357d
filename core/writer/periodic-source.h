/* SPDX-License-Identifier: Apache-2.0 */
/* A collector that is sampled at an interval: when the next sample is due, and a record of how
 * exactly the interval was kept. Only one thread at a time may use a source. libc only. */
#ifndef STROBE_CORE_PERIODIC_SOURCE_H
#define STROBE_CORE_PERIODIC_SOURCE_H

#include <stdint.h>
#include <strobe/collector.h>

#define STROBE_SAMPLE_INTERVAL_MIN_NS 100000

typedef struct StrobePeriodicSource {
    const char *component;
    void (*sample)(void *state);
    void *state;
    int64_t interval, next; /* ns, CLOCK_MONOTONIC */
    /* Accuracy of the interval so far; times in ns. `begin` is the time of the first sample and
     * `end` a time after the last sample, both in ticks. */
    uint64_t begin, end;
    uint64_t n, missed, late_sum, late_max, took_sum, took_max;
} StrobePeriodicSource;

/* Makes a source whose first sample is due now. An interval below the minimum becomes the
 * minimum. */
StrobePeriodicSource strobe_periodic_source(const char *component, const StrobeCollectorOps *ops,
                                            void *state, int64_t interval, int64_t now);
/* Takes the sample that is due at `now`; returns how long it took. Skips missed samples instead of
 * catching up, and records the gap. */
int64_t strobe_periodic_source_sample(StrobePeriodicSource *source, int64_t now);
/* Records how exactly the interval was kept. */
void strobe_periodic_source_finish(const StrobePeriodicSource *source);

#endif
