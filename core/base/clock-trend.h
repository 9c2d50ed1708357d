/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives from a sequence of clock pairs the counter's rate between pairs, the error bound of
 * times in between, and the jumps of the counter. The writer processes the pairs as it takes
 * them and stores the summary in the capture; the reader splits its clock map by the same rules.
 * libc only.
 *
 * Some pairs are knots. The others are not used: they follow a knot too closely, or their
 * reading was disturbed. A link connects two successive knots. A link is broken if the counter
 * jumped in it: its rate differs from those of both neighbours and from the earlier measurement.
 */
#ifndef STROBE_CORE_CLOCK_TREND_H
#define STROBE_CORE_CLOCK_TREND_H

#include "clock.h"

/* Minimum distance of two knots. Close knots reduce the effect of rate changes, but increase the
 * number of knots. */
#define STROBE_CLOCK_KNOT_NS 100000000

/* Times beyond this limit are invalid. */
#define STROBE_CLOCK_NS_LIMIT ((int64_t)1 << 61)

enum {
    STROBE_CLOCK_STEADY = 0,
    STROBE_CLOCK_SUSPEND = 1, /* the machine slept */
    STROBE_CLOCK_JUMP = 2,    /* the counter went ahead of time or fell behind */
    STROBE_CLOCK_RESET = 3,   /* the counter went back: counts occur again */
    STROBE_CLOCK_RATE = 4     /* the counter's frequency changed */
};

typedef struct StrobeClockLink {
    StrobeClockPair from, to;
    double ns_per_tick; /* 0: the counter went back */
    double noise_ns;    /* error bound of the readings of both ends together */
    uint32_t cause;     /* STROBE_CLOCK_* */
    uint32_t is_broken; /* a time inside is only known to lie inside the link */
    int64_t amount_ns;  /* SUSPEND: time suspended; JUMP: ahead, negative: behind */
    double error_ns;    /* error bound of a time inside, if it is not broken */
    double residual_ns; /* largest distance of a knot at its ends from the line through the
                         * knot's neighbours */
} StrobeClockLink;

#define STROBE_CLOCK_ERROR_UNKNOWN UINT64_MAX

/* Stored unchanged in the seal. */
typedef struct StrobeClockSummary {
    uint64_t error_ns;     /* largest error of a time outside of broken links */
    uint64_t gap_ns;       /* longest reading of a used pair */
    uint64_t residual_ns;  /* the largest of all links */
    uint64_t suspended_ns; /* total time for which the machine was suspended */
    uint64_t broken_ns;    /* total duration of broken links */
    uint32_t n_jumps;      /* number of links with JUMP, RESET or RATE */
    uint32_t n_knots;
} StrobeClockSummary;

_Static_assert(sizeof(StrobeClockSummary) == 48, "capture format");

typedef struct StrobeClockTrend {
    StrobeClockSummary summary;
    void (*judged)(void *user, const StrobeClockLink *link); /* called once for each link, in
                                                              * order; may be NULL */
    void *user;
    int64_t distance_ns;             /* STROBE_CLOCK_KNOT_NS or more */
    double ns_per_tick;              /* measured since the counter was last disturbed; 0: unknown */
    StrobeClockPair anchor;          /* begin of that measurement */
    int64_t first_ns;                /* of the first pair; the first knot may be a later pair */
    StrobeClockPair knot, last;      /* the last knot; the last undisturbed pair */
    StrobeClockPair disturbed;       /* the last disturbed pair */
    StrobeClockLink before, pending; /* the last judged link, and the link that waits for its
                                      * successor */
    uint32_t n_links;                /* number of valid links in these two: 0, 1 (pending) or 2 */
    uint32_t usual_gap;
} StrobeClockTrend;

/* Starts again. `ns_per_tick` is the known rate, 0 if unknown. */
void strobe_clock_trend_begin(StrobeClockTrend *trend, double ns_per_tick);

/* Adds the next pair in order of time. Ignores a pair that is not later than the previous one,
 * and a computed pair. */
void strobe_clock_trend_add(StrobeClockTrend *trend, const StrobeClockPair *pair);

/* No more pairs follow: judges the remaining links. The summary covers times up to `end_ticks`,
 * or up to the last pair if that is 0. */
void strobe_clock_trend_finish(StrobeClockTrend *trend, uint64_t end_ticks);

/* Does a rate agree with another within the noise and 0.1 %? No clock drifts by more. */
int strobe_clock_agrees(double ns_per_tick, double other, double noise);

#endif
