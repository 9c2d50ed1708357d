/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a counter with a given behaviour, and the clock pairs that a writer would take. */
#ifndef STROBE_TESTS_SIMULATED_CLOCK_H
#define STROBE_TESTS_SIMULATED_CLOCK_H

#include <glib.h>
#include "clock-map.h"

/* An event at the time `second`: the counter is set or jumps ahead, or the machine sleeps. */
typedef struct SimulatedHappening {
    double second;
    gint64 ticks;    /* number of added ticks or, if is_set, the new value of the counter */
    gboolean is_set; /* `ticks` is the new value */
    gint64 slept_ns;
    guint32 cause; /* the cause (STROBE_CLOCK_*) that must be found; 0: end of the list */
    gboolean is_broken;
} SimulatedHappening;

typedef struct SimulatedClock {
    const char *name;
    double (*rate)(double second); /* returns the ticks per ns at a time */
    gboolean is_monotonic;         /* there is no counter, only CLOCK_MONOTONIC */
    double seconds;                /* duration of the simulation; 0: 60 s */
    gint64 pair_ns;                /* mean time between pairs, 0: 1 s */
    guint32 gap;                   /* ticks of an undisturbed reading; 0: about 100 */
    double disturbed_share; /* share of the readings that are interrupted and take up to 50 us */
    gboolean is_first_disturbed, is_last_disturbed;
    guint repeats; /* number of times that each pair is repeated */
    gint64 wall_step_ns;
    SimulatedHappening happenings[3];

    /* the expected results */
    gint64 limit_ns;  /* largest error bound that the map may report */
    gint64 inside_ns; /* largest error that a time may have inside a broken event */
    /* the pairs always have the rate from before the first pair, because its effect is tested */
    gboolean needs_known;
    gboolean goes_back;
} SimulatedClock;

extern const SimulatedClock simulated_clocks[]; /* the clocks that are tested */
extern const guint n_simulated_clocks;

/* The state of the simulated counter. It is read at times that never go back, in ns since the begin
 * of the simulation. */
typedef struct SimulatedCounter {
    const SimulatedClock *clock;
    long double ticks;
    gint64 ns;
    guint happened;
} SimulatedCounter;

SimulatedCounter simulated_counter_new(const SimulatedClock *clock);
guint64 simulated_counter_at(SimulatedCounter *counter, gint64 ns);

/* Returns the time since the epoch that the map must give for the time `ns` of the simulation. */
gint64 simulated_time(gint64 ns);

typedef struct SimulatedPairs {
    guint n;
    gint64 *at; /* for each pair, the time of the simulation at which it was taken */
    StrobeClockPair *pairs;
} SimulatedPairs;

SimulatedPairs *simulated_pairs_new(const SimulatedClock *clock, guint seed);
void simulated_pairs_free(SimulatedPairs *pairs);

#endif
