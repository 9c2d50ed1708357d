/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a counter with a given behaviour, and the clock pairs that a writer would take. */
#ifndef STROBE_TESTS_SIMULATED_CLOCK_H
#define STROBE_TESTS_SIMULATED_CLOCK_H

#include <glib.h>
#include "clock-map.h"

/* At some moment the counter is set or put ahead, or the machine sleeps. */
typedef struct SimulatedHappening {
    double second;
    gint64 ticks;    /* added ticks, or the new value */
    gboolean is_set; /* which of the two `ticks` is */
    gint64 slept_ns;
    guint32 cause; /* the reason that must be found; 0: end of the list */
    gboolean is_broken;
} SimulatedHappening;

typedef struct SimulatedClock {
    const char *name;
    double (*rate)(double second); /* ticks per ns */
    gboolean is_monotonic;         /* there is no counter, only CLOCK_MONOTONIC */
    double seconds;                /* 0: 60 */
    gint64 pair_ns;                /* mean time between pairs, 0: 1 s */
    guint32 gap;                   /* duration of an undisturbed reading, 0: about 100 */
    double disturbed_share;        /* share of readings that take up to 50 us */
    gboolean is_first_disturbed, is_last_disturbed;
    guint repeats; /* description of each pair */
    gint64 wall_step_ns;
    SimulatedHappening happenings[3];

    /* Expected results. */
    gint64 limit_ns;      /* largest allowed bound */
    gint64 inside_ns;     /* largest error in broken links */
    gboolean needs_known; /* uses the rate from before the first pair, to see its effect */
    gboolean goes_back;
} SimulatedClock;

extern const SimulatedClock simulated_clocks[]; /* all tested clocks */
extern const guint n_simulated_clocks;

/* The counter at times that never go back, in ns since the beginning. */
typedef struct SimulatedCounter {
    const SimulatedClock *clock;
    long double ticks;
    gint64 ns;
    guint happened;
} SimulatedCounter;

SimulatedCounter simulated_counter_new(const SimulatedClock *clock);
guint64 simulated_counter_at(SimulatedCounter *counter, gint64 ns);

/* The time since the epoch that a moment must get. */
gint64 simulated_time(gint64 ns);

typedef struct SimulatedPairs {
    guint n;
    gint64 *at; /* when each pair was taken */
    StrobeClockPair *pairs;
} SimulatedPairs;

SimulatedPairs *simulated_pairs_new(const SimulatedClock *clock, guint seed);
void simulated_pairs_free(SimulatedPairs *pairs);

#endif
