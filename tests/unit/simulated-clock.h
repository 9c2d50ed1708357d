/* SPDX-License-Identifier: Apache-2.0 */
/* A counter whose behaviour is given, and the clock pairs that a writer would have taken. */
#ifndef STROBE_TESTS_SIMULATED_CLOCK_H
#define STROBE_TESTS_SIMULATED_CLOCK_H

#include <glib.h>
#include "clock-map.h"

/* At some moment the counter is set, or put ahead; or the machine sleeps. */
typedef struct SimulatedHappening {
    double second;
    gint64 ticks;    /* added, or the new value */
    gboolean is_set; /* which of the two */
    gint64 slept_ns;
    guint32 cause; /* as which it must be recognised; 0: end of the list */
    gboolean is_broken;
} SimulatedHappening;

typedef struct SimulatedClock {
    const char *name;
    double (*rate)(double second); /* ticks per ns */
    gboolean is_monotonic;         /* no counter but CLOCK_MONOTONIC itself */
    double seconds;                /* 0: 60 */
    gint64 pair_ns;                /* mean distance of the pairs, 0: 1 s */
    guint32 gap;                   /* of an undisturbed reading, 0: about 100 */
    double disturbed_share;        /* of readings that take up to 50 us */
    gboolean is_first_disturbed, is_last_disturbed;
    guint repeats; /* of each pair */
    gint64 wall_step_ns;
    SimulatedHappening happenings[3];

    /* What is expected. */
    gint64 limit_ns;      /* of the bound */
    gint64 inside_ns;     /* of the error in broken links */
    gboolean needs_known; /* the rate from before the first pair, to see what happened */
    gboolean goes_back;
} SimulatedClock;

extern const SimulatedClock simulated_clocks[]; /* all that are tested */
extern const guint n_simulated_clocks;

/* The counter at times that never go back; ns since the beginning. */
typedef struct SimulatedCounter {
    const SimulatedClock *clock;
    long double ticks;
    gint64 ns;
    guint happened;
} SimulatedCounter;

SimulatedCounter simulated_counter_new(const SimulatedClock *clock);
guint64 simulated_counter_at(SimulatedCounter *counter, gint64 ns);

/* The time since the epoch that a moment should be given. */
gint64 simulated_time(gint64 ns);

typedef struct SimulatedPairs {
    guint n;
    gint64 *at; /* when each was taken */
    StrobeClockPair *pairs;
} SimulatedPairs;

SimulatedPairs *simulated_pairs_new(const SimulatedClock *clock, guint seed);
void simulated_pairs_free(SimulatedPairs *pairs);

#endif
