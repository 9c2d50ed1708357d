/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sequence of clock pairs says about the counter: its rate from pair to pair, how far off a
 * time in between can be, and where the counter jumped. The writer follows the pairs as it takes
 * them and stores the summary with the capture; a reader's map is cut by the same rules. libc only.
 *
 * Some pairs are knots, the others are not used: those that follow a knot too closely, and those
 * whose reading was disturbed. From knot to knot goes a link. A link is broken if the counter
 * jumped in it: its rate is like that of no link beside it, and unlike what was measured before.
 */
#ifndef STROBE_CORE_CLOCK_TREND_H
#define STROBE_CORE_CLOCK_TREND_H

#include "clock.h"

/* Least distance of two knots: the closer they are the less a change of the rate between them
 * matters, and the more of them there are. */
#define STROBE_CLOCK_KNOT_NS 100000000

/* Times beyond are nonsense. */
#define STROBE_CLOCK_NS_LIMIT ((int64_t)1 << 61)

enum {
    STROBE_CLOCK_STEADY = 0,
    STROBE_CLOCK_SUSPEND = 1, /* the machine slept */
    STROBE_CLOCK_JUMP = 2,    /* the counter went ahead of time, or fell behind */
    STROBE_CLOCK_RESET = 3,   /* it went back: counts come again */
    STROBE_CLOCK_RATE = 4     /* it runs at another frequency from here on */
};

typedef struct StrobeClockLink {
    StrobeClockPair from, to;
    double ns_per_tick; /* 0: the counter went back */
    double noise_ns;    /* by which the readings of both ends may be off together */
    uint32_t cause;     /* STROBE_CLOCK_* */
    uint32_t is_broken; /* a time in it is known no better than that it lies in it */
    int64_t amount_ns;  /* SUSPEND: slept; JUMP: ahead, negative behind */
    double error_ns;    /* of a time in it, where it is not broken */
    double residual_ns; /* how far a knot at its ends lies from the line through its neighbours */
} StrobeClockLink;

#define STROBE_CLOCK_ERROR_UNKNOWN UINT64_MAX

/* Stored in the seal as it is. */
typedef struct StrobeClockSummary {
    uint64_t error_ns;     /* no time outside of broken links is off by more */
    uint64_t gap_ns;       /* the longest reading of a pair that was used */
    uint64_t residual_ns;  /* the largest of all links */
    uint64_t suspended_ns; /* that the machine slept in all */
    uint64_t broken_ns;    /* duration of all broken links */
    uint32_t n_jumps;      /* of the counter: JUMP, RESET and RATE */
    uint32_t n_knots;
} StrobeClockSummary;

_Static_assert(sizeof(StrobeClockSummary) == 48, "capture format");

typedef struct StrobeClockTrend {
    StrobeClockSummary summary;
    void (*judged)(void *user, const StrobeClockLink *link); /* each link once, in order; or NULL */
    void *user;
    int64_t distance_ns; /* STROBE_CLOCK_KNOT_NS or more */
    double ns_per_tick; /* measured until now, over as long as the counter was steady; 0: unknown */
    StrobeClockPair anchor;          /* where that measurement begins */
    int64_t first_ns;                /* of all pairs; the first knot may be a later one */
    StrobeClockPair knot, last;      /* the last knot, the last pair that was not disturbed */
    StrobeClockPair disturbed;       /* the last one that was */
    StrobeClockLink before, pending; /* judged, and the one that waits for its successor */
    uint32_t n_links;                /* of these: 0, 1 (pending) or 2 */
    uint32_t usual_gap;
} StrobeClockTrend;

/* Begins anew. `ns_per_tick` is what is known from before, 0 if nothing is. */
void strobe_clock_trend_begin(StrobeClockTrend *trend, double ns_per_tick);

/* The next pair in order of time; one that is not later than the one before is ignored, as is one
 * that was computed. */
void strobe_clock_trend_add(StrobeClockTrend *trend, const StrobeClockPair *pair);

/* No more pairs: judges what is left. The summary holds for times up to `end_ticks`, or up to the
 * last pair if that is 0. */
void strobe_clock_trend_finish(StrobeClockTrend *trend, uint64_t end_ticks);

/* A rate that agrees with another within the noise and a tenth of a percent: nothing that keeps
 * time on purpose drifts by more. */
int strobe_clock_agrees(double ns_per_tick, double other, double noise);

#endif
