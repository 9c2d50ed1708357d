/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-trend.h"

#include <string.h>

/* A link between two knots is assumed to contain a jump if its rate is wrong by more than this
 * share. */
#define JUMP_SHARE 0.001
/* If noise exceeds this share of a link's duration, its rate says nothing about another link's
 * rate. */
#define EVIDENCE_SHARE 0.0005
/* A reading that takes this many times the usual time was interrupted. */
#define DISTURBED_TIMES 8
/* a shorter difference of the clocks comes from an interrupted reading */
#define SUSPEND_MIN_NS 10000000

/* Assumed changes of the rate if pairs give no evidence: inside a link with checked neighbours,
 * inside a link without neighbours, and after the last knot. */
#define UNSEEN_CHANGE 1e-7
#define UNKNOWN_CHANGE 1e-6

/* Pairs from a damaged file may have any values; within these limits no sum of them overflows. */
#define RATE_MIN 1e-6
#define RATE_MAX 1e6
#define NS_MAX 1e18

void strobe_clock_trend_begin(StrobeClockTrend *trend, double ns_per_tick)
{
    memset(trend, 0, sizeof *trend);
    trend->ns_per_tick = ns_per_tick >= RATE_MIN && ns_per_tick <= RATE_MAX ? ns_per_tick : 0;
    trend->distance_ns = STROBE_CLOCK_KNOT_NS;
}

static double choose_larger(double a, double b)
{
    return a > b ? a : b;
}

static uint64_t larger_ns(uint64_t ns, double other)
{
    uint64_t whole = (uint64_t)(other < NS_MAX ? other : NS_MAX);
    return whole > ns ? whole : ns;
}

static double compute_distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

int strobe_clock_agrees(double ns_per_tick, double other, double noise)
{
    return compute_distance(ns_per_tick, other) <=
           JUMP_SHARE * choose_larger(ns_per_tick, other) + noise;
}

/* ---- links ---- */

static double ticks_of(const StrobeClockLink *link)
{
    return (double)(link->to.ticks - link->from.ticks);
}

static double duration_of(const StrobeClockLink *link)
{
    return (double)(link->to.monotonic_ns - link->from.monotonic_ns);
}

/* Returns the error bound of a pair, in ns. */
static double compute_uncertainty(const StrobeClockPair *pair, double ns_per_tick)
{
    return ((double)pair->gap / 2 + 1) * ns_per_tick;
}

/* Is the counter CLOCK_MONOTONIC itself? */
static int is_monotonic(const StrobeClockPair *pair)
{
    return pair->gap == 0 && pair->ticks == (uint64_t)pair->monotonic_ns;
}

/* Returns the rate for the conversion of gaps to ns: the rate measured so far, or the link's if
 * there is none. */
static double rate_for_gaps(const StrobeClockTrend *trend, const StrobeClockLink *link)
{
    return trend->ns_per_tick > 0 ? trend->ns_per_tick : link->ns_per_tick;
}

static StrobeClockLink link_between(const StrobeClockTrend *trend, const StrobeClockPair *from,
                                    const StrobeClockPair *to)
{
    StrobeClockLink link = {.from = *from, .to = *to};

    if (to->ticks > from->ticks)
        link.ns_per_tick = duration_of(&link) / ticks_of(&link);
    double rate = rate_for_gaps(trend, &link);
    link.noise_ns = compute_uncertainty(from, rate) + compute_uncertainty(to, rate);
    return link;
}

static int says_something(const StrobeClockLink *link, double share)
{
    return link->ns_per_tick > 0 && link->noise_ns <= share * duration_of(link);
}

/* Returns `other`, or NULL if its rate says nothing about its neighbour's rate. */
static const StrobeClockLink *choose_evidence(const StrobeClockLink *other)
{
    return other && !other->is_broken && says_something(other, EVIDENCE_SHARE) ? other : NULL;
}

static int links_agree(const StrobeClockLink *a, const StrobeClockLink *b)
{
    return strobe_clock_agrees(a->ns_per_tick, b->ns_per_tick,
                               a->noise_ns / ticks_of(a) + b->noise_ns / ticks_of(b));
}

static int agrees_with_known(const StrobeClockTrend *trend, const StrobeClockLink *link)
{
    return trend->ns_per_tick > 0 && strobe_clock_agrees(link->ns_per_tick, trend->ns_per_tick,
                                                         link->noise_ns / ticks_of(link));
}

/* Returns twice the distance of the common knot of two links from the line between their other two
 * knots. For links of equal length, this is the error of a prediction from one link for the other.
 * The result bounds the error that a change of the rate inside a link causes. */
static double compute_residual(const StrobeClockLink *a, const StrobeClockLink *b)
{
    double da = duration_of(a), db = duration_of(b);

    return 2 * compute_distance(a->ns_per_tick, b->ns_per_tick) /
           choose_larger(a->ns_per_tick, b->ns_per_tick) * da * db / (da + db);
}

static void bound_error(const StrobeClockTrend *trend, StrobeClockLink *link,
                        const StrobeClockLink *before, const StrobeClockLink *next)
{
    double rate = rate_for_gaps(trend, link), duration = duration_of(link);
    double change = UNKNOWN_CHANGE;

    if (is_monotonic(&link->from) && is_monotonic(&link->to))
        return;
    for (int i = 0; i < 2; i++) {
        const StrobeClockLink *other = i ? next : before;
        if (!other)
            continue;
        link->residual_ns = choose_larger(link->residual_ns, compute_residual(link, other));
        if (duration_of(other) * 4 >= duration)
            change = UNSEEN_CHANGE;
    }
    link->error_ns = choose_larger(compute_uncertainty(&link->from, rate),
                                   compute_uncertainty(&link->to, rate)) +
                     link->residual_ns + change * duration / 4 + 1;
}

/* ---- judging ---- */

static int64_t measure_suspend(const StrobeClockLink *link)
{
    int64_t after, before, time;

    if (__builtin_sub_overflow(link->to.boottime_ns, link->to.monotonic_ns, &after) ||
        __builtin_sub_overflow(link->from.boottime_ns, link->from.monotonic_ns, &before) ||
        __builtin_sub_overflow(after, before, &time))
        return 0;
    return time >= SUSPEND_MIN_NS && time <= INT64_MAX / 4 ? time : 0;
}

static void summarise_link(StrobeClockTrend *trend, const StrobeClockLink *link)
{
    StrobeClockSummary *s = &trend->summary;
    uint32_t gap = link->from.gap > link->to.gap ? link->from.gap : link->to.gap;

    s->gap_ns = larger_ns(s->gap_ns, gap * rate_for_gaps(trend, link));
    s->suspended_ns += (uint64_t)measure_suspend(link);
    s->n_jumps += link->cause != STROBE_CLOCK_STEADY && link->cause != STROBE_CLOCK_SUSPEND;
    if (link->is_broken) {
        s->broken_ns += (uint64_t)duration_of(link);
        return;
    }
    if (s->error_ns == STROBE_CLOCK_ERROR_UNKNOWN)
        s->error_ns = 0;
    s->error_ns = larger_ns(s->error_ns, link->error_ns);
    s->residual_ns = larger_ns(s->residual_ns, link->residual_ns);
}

/* Updates the rate, which is measured since the counter was last disturbed. */
static void measure_rate(StrobeClockTrend *trend, const StrobeClockLink *link, int goes_on)
{
    if (!goes_on)
        trend->anchor = link->from;
    StrobeClockLink whole = link_between(trend, &trend->anchor, &link->to);
    if (says_something(&whole, STROBE_CLOCK_RATE_SHARE))
        trend->ns_per_tick = whole.ns_per_tick;
}

static void name_break(const StrobeClockTrend *trend, StrobeClockLink *link,
                       const StrobeClockLink *next)
{
    if (link->ns_per_tick == 0) {
        link->cause = STROBE_CLOCK_RESET;
    } else if (measure_suspend(link)) {
        link->cause = STROBE_CLOCK_SUSPEND;
        link->amount_ns = measure_suspend(link);
    } else if (next && trend->ns_per_tick > 0 && !agrees_with_known(trend, next)) {
        link->cause = STROBE_CLOCK_RATE;
    } else {
        double ahead = ticks_of(link) * trend->ns_per_tick - duration_of(link);
        link->cause = STROBE_CLOCK_JUMP;
        link->amount_ns = ahead < 1e18 ? (int64_t)ahead : 1000000000000000000;
    }
}

/* Bounds the error of extrapolated times, before the first knot and after the last one. */
static void reach_out(StrobeClockTrend *trend, const StrobeClockLink *link, double ns)
{
    StrobeClockSummary *s = &trend->summary;
    double share = (link->noise_ns + link->residual_ns) / duration_of(link) + UNKNOWN_CHANGE;

    if (ns > 0 && !link->is_broken)
        s->error_ns = larger_ns(s->error_ns, link->error_ns + ns * share);
}

/* Accepts the pending link or marks it as broken. Its rate must agree with the rate of the previous
 * link or of the next link, or with the rate measured so far. If none of these exists, the link is
 * accepted. */
static void judge_link(StrobeClockTrend *trend, const StrobeClockLink *next)
{
    StrobeClockLink *link = &trend->pending;
    const StrobeClockLink *before = choose_evidence(trend->n_links == 2 ? &trend->before : NULL);
    int like_before = 0, like_next = 0, like_known = 0;

    next = choose_evidence(next);
    if (link->ns_per_tick > 0) {
        like_before = before && links_agree(link, before);
        like_next = next && links_agree(link, next);
        like_known = agrees_with_known(trend, link);
    }
    if (link->ns_per_tick > 0 &&
        (like_before || like_next || like_known || !(before || next || trend->ns_per_tick > 0))) {
        bound_error(trend, link, like_before ? before : NULL, like_next ? next : NULL);
        if (measure_suspend(link)) { /* the counter stopped together with the machine */
            link->cause = STROBE_CLOCK_SUSPEND;
            link->amount_ns = measure_suspend(link);
        } else if (before && !like_before) {
            link->cause = STROBE_CLOCK_RATE;
        }
        measure_rate(trend, link, trend->n_links == 2 && !trend->before.is_broken && like_known);
    } else {
        link->is_broken = 1;
        name_break(trend, link, next);
    }
    summarise_link(trend, link);
    if (trend->n_links == 1)
        reach_out(trend, link, (double)(link->from.monotonic_ns - trend->first_ns));
    if (trend->judged)
        trend->judged(trend->user, link);
}

/* ---- pairs ---- */

static void take_knot(StrobeClockTrend *trend, const StrobeClockPair *pair)
{
    StrobeClockLink next = link_between(trend, &trend->knot, pair);

    if (trend->n_links) {
        judge_link(trend, &next);
        trend->before = trend->pending;
        trend->n_links = 2;
    } else {
        trend->n_links = 1;
    }
    trend->pending = next;
    trend->knot = *pair;
    trend->summary.n_knots++;
}

static void take_first(StrobeClockTrend *trend, const StrobeClockPair *pair)
{
    if (trend->summary.n_knots == 0)
        trend->first_ns = pair->monotonic_ns;
    trend->knot = trend->last = trend->anchor = *pair;
    trend->usual_gap = pair->gap;
    trend->summary.n_knots = 1;
    trend->summary.error_ns = STROBE_CLOCK_ERROR_UNKNOWN;
}

static int is_disturbed(uint32_t gap, uint32_t usual)
{
    return gap / DISTURBED_TIMES > usual + 1ull;
}

/* Drops the first pair, or the first two, if the later pair `pair` shows that their readings were
 * disturbed: the first pair has no predecessor with which it could be compared. */
static int drop_disturbed_begin(StrobeClockTrend *trend, const StrobeClockPair *pair)
{
    if (trend->n_links == 1 && is_disturbed(trend->knot.gap, pair->gap)) {
        trend->knot = trend->pending.from;
        trend->n_links = 0;
        trend->summary.n_knots--;
    }
    if (trend->n_links || !is_disturbed(trend->knot.gap, pair->gap))
        return 0;
    take_first(trend, pair);
    return 1;
}

static int went_back(const StrobeClockPair *from, const StrobeClockPair *to)
{
    return to->ticks < from->ticks && from->ticks - to->ticks > (uint64_t)from->gap + to->gap;
}

void strobe_clock_trend_add(StrobeClockTrend *trend, const StrobeClockPair *pair)
{
    if (pair->gap == STROBE_CLOCK_COMPUTED || pair->monotonic_ns > STROBE_CLOCK_NS_LIMIT ||
        pair->monotonic_ns < -STROBE_CLOCK_NS_LIMIT)
        return;
    if (trend->summary.n_knots == 0) {
        take_first(trend, pair);
        return;
    }
    if (pair->monotonic_ns <= trend->last.monotonic_ns)
        return;
    if (is_disturbed(pair->gap, trend->usual_gap)) {
        /* This doubling makes longer gaps acceptable after some pairs, in case all readings are now
         * slow. */
        trend->usual_gap = trend->usual_gap * 2 + 1;
        trend->disturbed = *pair;
        return;
    }
    if (drop_disturbed_begin(trend, pair))
        return;
    if (pair->gap < trend->usual_gap)
        trend->usual_gap = pair->gap;
    if (went_back(&trend->last, pair)) {
        if (trend->last.ticks > trend->knot.ticks)
            take_knot(trend, &trend->last);
        take_knot(trend, pair);
    } else if (pair->monotonic_ns - trend->knot.monotonic_ns >= trend->distance_ns) {
        take_knot(trend, pair);
    }
    trend->last = *pair;
}

/* Bounds the error if there is only one pair: the rate is then known only from an earlier
 * measurement, with an error of at most STROBE_CLOCK_RATE_SHARE. */
static void bound_alone(StrobeClockTrend *trend, uint64_t end_ticks)
{
    const StrobeClockPair *pair = &trend->knot;
    double rate = trend->ns_per_tick, ticks = 0;

    if (end_ticks > pair->ticks)
        ticks = (double)(end_ticks - pair->ticks);
    if (rate == 1 && is_monotonic(pair))
        trend->summary.error_ns = 0;
    else if (rate > 0 && end_ticks > 0)
        trend->summary.error_ns = larger_ns(0, compute_uncertainty(pair, rate) +
                                                   ticks * rate * STROBE_CLOCK_RATE_SHARE + 1);
}

void strobe_clock_trend_finish(StrobeClockTrend *trend, uint64_t end_ticks)
{
    if (trend->summary.n_knots == 0)
        return;
    if (trend->n_links == 0 && trend->last.monotonic_ns == trend->knot.monotonic_ns &&
        trend->disturbed.monotonic_ns > trend->knot.monotonic_ns)
        trend->last = trend->disturbed; /* there is no later undisturbed pair */
    if (trend->last.ticks > trend->knot.ticks &&
        trend->last.monotonic_ns > trend->knot.monotonic_ns)
        take_knot(trend, &trend->last);
    if (trend->n_links == 0) {
        bound_alone(trend, end_ticks);
        return;
    }
    judge_link(trend, NULL);
    if (end_ticks == 0 && trend->disturbed.monotonic_ns > trend->knot.monotonic_ns)
        end_ticks = trend->disturbed.ticks;
    if (end_ticks > trend->knot.ticks)
        reach_out(trend, &trend->pending,
                  (double)(end_ticks - trend->knot.ticks) * trend->pending.ns_per_tick);
}
