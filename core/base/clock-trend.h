/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives from a sequence of clock pairs the counter's rate between two pairs, the error bound of
 * times between them, and the jumps of the counter. The writer processes each pair when it reads
 * the clocks, and stores the summary in the capture; the reader splits its clock map by the same
 * rules. libc only.
 *
 * The pairs that are used are called knots. A pair is not used if it comes too soon after a knot,
 * or if its reading was disturbed. A link connects two successive knots. A link is broken if the
 * counter jumped in it: its rate then differs from the rates of both neighbours and from the rate
 * measured before.
 */
#ifndef STROBE_CORE_CLOCK_TREND_H
#define STROBE_CORE_CLOCK_TREND_H

#include "clock.h"

/* Minimum distance of two knots. A smaller distance reduces the effect of rate changes, but
 * increases the number of knots. */
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
    double noise_ns;    /* sum of the error bounds of both knots' readings */
    uint32_t cause;     /* STROBE_CLOCK_* */
    uint32_t is_broken; /* a time in the link cannot be computed more exactly than from..to */
    int64_t amount_ns;  /* SUSPEND: time suspended; JUMP: ahead, negative: behind */
    double error_ns;    /* error bound of a time in the link, if the link is not broken */
    double residual_ns; /* largest distance of one of its two knots from the line through that
                           knot's neighbours */
} StrobeClockLink;

#define STROBE_CLOCK_ERROR_UNKNOWN UINT64_MAX

/* Summary of the pairs of a capture. The seal contains this struct unchanged. */
typedef struct StrobeClockSummary {
    uint64_t error_ns;     /* largest error of a time outside of broken links */
    uint64_t gap_ns;       /* longest reading of a used pair */
    uint64_t residual_ns;  /* the largest residual_ns of a link */
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
    int64_t distance_ns;        /* STROBE_CLOCK_KNOT_NS or more */
    double ns_per_tick;         /* measured since the counter was last disturbed; 0: unknown */
    StrobeClockPair anchor;     /* begin of the measurement of ns_per_tick */
    int64_t first_ns;           /* time of the first pair; the first knot may be a later pair */
    StrobeClockPair knot, last; /* the last knot; the last undisturbed pair */
    StrobeClockPair disturbed;  /* the last disturbed pair */
    StrobeClockLink before, pending; /* the last judged link, and the link that can be judged only
                                        after its successor is known */
    uint32_t n_links; /* number of valid links: 0, 1 (pending) or 2 (before and pending) */
    uint32_t usual_gap;
} StrobeClockTrend;

/* Initialises the trend. `ns_per_tick` is the known rate, 0 if unknown. */
void strobe_clock_trend_begin(StrobeClockTrend *trend, double ns_per_tick);

/* Adds the next pair in order of time. Ignores a pair that is not later than the previous pair, and
 * a computed pair. */
void strobe_clock_trend_add(StrobeClockTrend *trend, const StrobeClockPair *pair);

/* Judges the remaining links; call it when all pairs are added. The summary covers times up to
 * `end_ticks`, or up to the last pair if `end_ticks` is 0. */
void strobe_clock_trend_finish(StrobeClockTrend *trend, uint64_t end_ticks);

/* Do two rates agree within the noise and 0.1 %? No undisturbed clock drifts by more than 0.1 %. */
int strobe_clock_agrees(double ns_per_tick, double other, double noise);

#endif
