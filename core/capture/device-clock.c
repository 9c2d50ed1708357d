/* SPDX-License-Identifier: Apache-2.0 */
#include "device-clock.h"

#include <math.h>
#include "clock-trend.h"

#define TIME_LIMIT STROBE_CLOCK_NS_LIMIT
#define WIDTH_MAX ((guint64)STROBE_CLOCK_COMPUTED - 1) /* maximum width of a useful pair */
#define EXTRAPOLATED 1e-6                              /* possible rate change beyond pairs */
#define ORDER_NS 100000 /* clock errors may make a record appear stored before its end */
/* Number of knots considered for the rate beyond the first or last knot. */
#define BASELINE_KNOTS 64u
#define EPOCHS_BACK 16u /* number of epochs searched for a time */
/* nearly all collectors store a record within this time after its end */
#define LATE_NS 5000000000

/* A used pair. */
struct knot {
    gint64 device_ns, host_ns;
    double half_ns; /* half of the pair's width, which is its error bound */
};

/* Knots between two jumps, and the lines beyond both ends. */
struct epoch {
    guint first, end;      /* indices of knots */
    gint64 from_ns, to_ns; /* host times of the nearest knots of the neighbouring epochs */
    double rate[2];        /* host ns per device ns, before the first knot and after the last */
    double share[2];       /* error bounds of these rates */
};

struct StrobeDeviceClock {
    StrobeClockView view;
    GArray *pairs;  /* of StrobeDevicePair */
    GArray *knots;  /* of struct knot */
    GArray *epochs; /* of struct epoch */
    gboolean has_unknown_width;
    gint64 slack_ns; /* a time may be outside of its epoch by this much, because of the pairs'
                        errors */
};

StrobeDeviceClock *strobe_device_clock_new(StrobeTrackId track)
{
    StrobeDeviceClock *clock = g_new0(StrobeDeviceClock, 1);

    clock->pairs = g_array_new(FALSE, FALSE, sizeof(StrobeDevicePair));
    clock->knots = g_array_new(FALSE, FALSE, sizeof(struct knot));
    clock->epochs = g_array_new(FALSE, FALSE, sizeof(struct epoch));
    clock->view = (StrobeClockView){.struct_size = sizeof(StrobeClockView),
                                    .track = track,
                                    .error_ns = STROBE_ABSENT_U64,
                                    .host_error_ns = STROBE_ABSENT_U64,
                                    .width_ns = STROBE_ABSENT_U64,
                                    .residual_ns = STROBE_ABSENT_U64,
                                    .drift = STROBE_ABSENT_F64};
    return clock;
}

void strobe_device_clock_free(gpointer data)
{
    StrobeDeviceClock *clock = data;

    if (!clock)
        return;
    g_array_unref(clock->pairs);
    g_array_unref(clock->knots);
    g_array_unref(clock->epochs);
    g_free(clock);
}

StrobeClockView *strobe_device_clock_view(StrobeDeviceClock *clock)
{
    return &clock->view;
}

guint64 strobe_device_clock_error(const StrobeDeviceClock *clock)
{
    return clock->view.error_ns == STROBE_ABSENT_U64 ? 0 : clock->view.error_ns;
}

static struct knot *knot_at(const StrobeDeviceClock *clock, guint index)
{
    return &g_array_index(clock->knots, struct knot, index);
}

static struct epoch *epoch_at(const StrobeDeviceClock *clock, guint index)
{
    return &g_array_index(clock->epochs, struct epoch, index);
}

/* ---- pairs ---- */

static gboolean is_time(gint64 ns)
{
    return ns > -TIME_LIMIT && ns < TIME_LIMIT;
}

void strobe_device_clock_add(StrobeDeviceClock *clock, const StrobeDevicePair *pair)
{
    GArray *pairs = clock->pairs;
    StrobeDevicePair kept = *pair;

    if (!is_time(pair->device_ns) || !is_time(pair->host_ns))
        return;
    clock->view.n_pairs++;
    if (pair->width_ns == STROBE_ABSENT_U64) {
        clock->has_unknown_width = TRUE;
        kept.width_ns = 0;
    }
    kept.width_ns = MIN(kept.width_ns, WIDTH_MAX);
    g_array_append_val(pairs, kept);
    if (pairs->len < STROBE_DEVICE_PAIRS_MAX)
        return;
    for (guint i = 0; i < pairs->len / 2; i++) {
        const StrobeDevicePair *two = &g_array_index(pairs, StrobeDevicePair, 2 * i);
        g_array_index(pairs, StrobeDevicePair, i) = two[two[1].width_ns < two[0].width_ns];
    }
    g_array_set_size(pairs, pairs->len / 2);
}

/* ---- epochs ---- */

static void add_knot(StrobeDeviceClock *clock, const StrobeClockPair *pair, gint64 base,
                     gboolean is_first)
{
    struct knot knot = {.device_ns = (gint64)pair->ticks + base,
                        .host_ns = pair->monotonic_ns,
                        .half_ns = (double)pair->gap / 2 + 1};
    struct epoch epoch = {.first = clock->knots->len, .from_ns = -TIME_LIMIT, .to_ns = TIME_LIMIT};
    guint64 width = pair->gap;

    if (is_first) {
        if (clock->knots->len) {
            epoch.from_ns = knot_at(clock, clock->knots->len - 1)->host_ns;
            epoch_at(clock, clock->epochs->len - 1)->to_ns = knot.host_ns;
        }
        g_array_append_val(clock->epochs, epoch);
    }
    g_array_append_val(clock->knots, knot);
    epoch_at(clock, clock->epochs->len - 1)->end = clock->knots->len;
    if (clock->view.width_ns == STROBE_ABSENT_U64 || width > clock->view.width_ns)
        clock->view.width_ns = width;
}

struct follower {
    StrobeDeviceClock *clock;
    gint64 base;
};

static void on_link(void *user, const StrobeClockLink *link)
{
    struct follower *f = user;

    if (f->clock->knots->len == 0)
        add_knot(f->clock, &link->from, f->base, TRUE);
    add_knot(f->clock, &link->to, f->base, link->is_broken != 0);
}

/* Converts a pair to the form that the trend takes, with ticks that count from `base`. */
static StrobeClockPair trend_pair(const StrobeDevicePair *pair, gint64 base)
{
    return (StrobeClockPair){.ticks = (guint64)(pair->device_ns - base),
                             .monotonic_ns = pair->host_ns,
                             .boottime_ns = pair->host_ns,
                             .ns_per_tick = 1,
                             .gap = (guint32)pair->width_ns};
}

/* Splits the pairs where the clock jumped. The clock counts ns, so a rate far from 1 is a jump,
 * unless the neighbouring links have the same rate. */
static void follow_pairs(StrobeDeviceClock *clock, StrobeClockSummary *summary)
{
    GArray *pairs = clock->pairs;
    gint64 base = G_MAXINT64;
    StrobeClockTrend trend;

    for (guint i = 0; i < pairs->len; i++)
        base = MIN(base, g_array_index(pairs, StrobeDevicePair, i).device_ns);
    struct follower follower = {clock, base};
    strobe_clock_trend_begin(&trend, 1);
    trend.judged = on_link;
    trend.user = &follower;
    for (guint i = 0; i < pairs->len; i++) {
        StrobeClockPair pair = trend_pair(&g_array_index(pairs, StrobeDevicePair, i), base);
        strobe_clock_trend_add(&trend, &pair);
    }
    strobe_clock_trend_finish(&trend, 0);
    if (clock->knots->len == 0)
        add_knot(clock, &trend.knot, base, TRUE);
    *summary = trend.summary;
}

/* ---- beyond the knots ---- */

/* Times of day as double are only exact to 128 ns, but their differences are exact to the ns. */
static double subtract_times(gint64 a, gint64 b)
{
    return (double)((__int128)a - b);
}

static double rate_between(const struct knot *a, const struct knot *b)
{
    return subtract_times(b->host_ns, a->host_ns) / subtract_times(b->device_ns, a->device_ns);
}

/* Returns the error bound of the rate between the knots `a` and `b`, per ns: those of both knots,
 * and the largest distance from the line of a knot in between. */
static double share_of(const StrobeDeviceClock *clock, guint a, guint b)
{
    const struct knot *from = knot_at(clock, a), *to = knot_at(clock, b);
    double rate = rate_between(from, to), off = 0;

    for (guint i = MIN(a, b) + 1; i < MAX(a, b); i++) {
        const struct knot *knot = knot_at(clock, i);
        double on_line = subtract_times(knot->device_ns, from->device_ns) * rate;
        off = MAX(off, fabs(subtract_times(knot->host_ns, from->host_ns) - on_line));
    }
    return (from->half_ns + to->half_ns + off) / fabs(subtract_times(to->host_ns, from->host_ns));
}

/* Sets the rate of the line beyond an end of the epoch: the rate between the outermost knot and
 * the knot that gives the most exact rate. */
static void reach_out(const StrobeDeviceClock *clock, struct epoch *epoch, guint side)
{
    guint end = side ? epoch->end - 1 : epoch->first;
    guint n = MIN(epoch->end - epoch->first, BASELINE_KNOTS);

    epoch->rate[side] = 1;
    epoch->share[side] = STROBE_DEVICE_DRIFT_MAX;
    for (guint i = 1; i < n; i++) {
        guint other = side ? end - i : end + i;
        double share = share_of(clock, end, other);
        if (share >= epoch->share[side])
            continue; /* not more exact than the rate so far, which starts at 1 (ns per ns) */
        epoch->share[side] = share;
        epoch->rate[side] = rate_between(knot_at(clock, end), knot_at(clock, other));
    }
    epoch->share[side] += EXTRAPOLATED;
}

/* Gives an epoch with one knot the rate of the nearest epoch with more knots, because the
 * oscillator is the same. */
static void borrow_rates(StrobeDeviceClock *clock)
{
    guint n = clock->epochs->len;

    for (guint i = 0; i < n; i++) {
        struct epoch *epoch = epoch_at(clock, i);
        for (guint away = 1; epoch->end - epoch->first == 1 && away < MIN(n, EPOCHS_BACK); away++) {
            const struct epoch *before = i >= away ? epoch_at(clock, i - away) : NULL;
            const struct epoch *behind = i + away < n ? epoch_at(clock, i + away) : NULL;
            const struct epoch *lender =
                before && before->end - before->first > 1 ? before : behind;
            if (!lender || lender->end - lender->first == 1)
                continue;
            guint side = lender == before;
            epoch->rate[0] = epoch->rate[1] = lender->rate[side];
            epoch->share[0] = epoch->share[1] = lender->share[side] + STROBE_DEVICE_DRIFT_CHANGE;
            break;
        }
    }
}

/* ---- the error bound ---- */

static guint64 round_up(double ns)
{
    return ns < (double)TIME_LIMIT ? (guint64)ceil(ns) : (guint64)TIME_LIMIT;
}

/* Returns the error of times between the window's edges and the first and last knot. */
static double reached_error(const StrobeDeviceClock *clock, gint64 begin_ns, gint64 end_ns)
{
    const struct epoch *first = epoch_at(clock, 0);
    const struct epoch *last = epoch_at(clock, clock->epochs->len - 1);
    const struct knot *low = knot_at(clock, 0), *high = knot_at(clock, clock->knots->len - 1);
    double before = subtract_times(low->host_ns, begin_ns);
    double behind = subtract_times(end_ns, high->host_ns);

    return MAX(low->half_ns + MAX(before, 0) * first->share[0],
               high->half_ns + MAX(behind, 0) * last->share[1]);
}

static void take_summary(StrobeDeviceClock *clock, const StrobeClockSummary *summary,
                         double reached)
{
    StrobeClockView *view = &clock->view;
    double error = reached;
    const struct epoch *last = epoch_at(clock, clock->epochs->len - 1);

    if (summary->error_ns != STROBE_CLOCK_ERROR_UNKNOWN)
        error = MAX(error, (double)summary->error_ns);
    clock->slack_ns = (gint64)round_up(error) + 1;
    view->n_knots = clock->knots->len;
    view->residual_ns = summary->residual_ns;
    view->broken_ns = summary->broken_ns;
    view->n_jumps = summary->n_jumps;
    if (last->share[1] < STROBE_DEVICE_DRIFT_MAX)
        view->drift = (1 / last->rate[1] - 1) * 1e6;
    if (clock->has_unknown_width)
        view->width_ns = STROBE_ABSENT_U64;
    else
        view->error_ns = round_up(error) + 1;
}

void strobe_device_clock_finish(StrobeDeviceClock *clock, gint64 begin_ns, gint64 end_ns)
{
    StrobeClockSummary summary;

    if (clock->pairs->len == 0)
        return;
    strobe_device_pairs_choose(clock->pairs);
    follow_pairs(clock, &summary);
    g_array_set_size(clock->pairs, 0);
    for (guint i = 0; i < clock->epochs->len; i++)
        for (guint side = 0; side < 2; side++)
            reach_out(clock, epoch_at(clock, i), side);
    borrow_rates(clock);
    /* No record is older than the window: a device time that occurs in several epochs is not in the
     * first one if it would then be before the window. */
    epoch_at(clock, 0)->from_ns = MIN(begin_ns, knot_at(clock, 0)->host_ns);
    take_summary(clock, &summary, reached_error(clock, begin_ns, end_ns));
}

/* ---- conversion ---- */

static gint64 limit_time(double ns)
{
    return ns > (double)TIME_LIMIT    ? TIME_LIMIT
           : ns < -(double)TIME_LIMIT ? -TIME_LIMIT
                                      : (gint64)llround(ns);
}

static gint64 sum_of(gint64 a, gint64 b)
{
    gint64 sum;
    return __builtin_add_overflow(a, b, &sum) ? (b > 0 ? TIME_LIMIT : -TIME_LIMIT)
                                              : CLAMP(sum, -TIME_LIMIT, TIME_LIMIT);
}

/* Returns the exact time on the line through two knots. */
static gint64 interpolate_time(const struct knot *a, const struct knot *b, gint64 device_ns)
{
    __int128 length = (__int128)b->device_ns - a->device_ns;
    __int128 product = ((__int128)device_ns - a->device_ns) * (b->host_ns - a->host_ns);

    return a->host_ns + (gint64)((product + length / 2) / length);
}

/* Converts a device time that is in this epoch. */
static gint64 time_in(const StrobeDeviceClock *clock, const struct epoch *epoch, gint64 device_ns)
{
    guint low = epoch->first, high = epoch->end;
    const struct knot *knot = knot_at(clock, low);

    if (device_ns >= knot->device_ns && device_ns < knot_at(clock, high - 1)->device_ns) {
        while (high - low > 1) {
            guint middle = (low + high) / 2;
            if (knot_at(clock, middle)->device_ns <= device_ns)
                low = middle;
            else
                high = middle;
        }
        return interpolate_time(knot_at(clock, low), knot_at(clock, low + 1), device_ns);
    }
    guint side = device_ns >= knot->device_ns;
    if (side)
        knot = knot_at(clock, high - 1);
    double away = subtract_times(device_ns, knot->device_ns);
    return sum_of(knot->host_ns, limit_time(away * epoch->rate[side]));
}

/* Returns the distance of a host time from the epoch; 0 if the time is inside. */
static gint64 measure_excess(const StrobeDeviceClock *clock, const struct epoch *epoch, gint64 ns,
                             gint64 stored_ns)
{
    gint64 to_ns = MIN(epoch->to_ns, sum_of(stored_ns, ORDER_NS));
    gint64 least = sum_of(epoch->from_ns, -clock->slack_ns);
    gint64 most = sum_of(to_ns, clock->slack_ns);

    return ns < least ? least - ns : ns > most ? ns - most : 0;
}

/* Returns the newest epoch that had begun at a given time. */
static guint epoch_before(const StrobeDeviceClock *clock, gint64 ns)
{
    guint low = 0, high = clock->epochs->len;

    while (high - low > 1) {
        guint middle = (low + high) / 2;
        if (epoch_at(clock, middle)->from_ns <= ns)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Returns the newest epoch, from `newest` backwards, that contains the time, or else the epoch that
 * is nearest to the time. The result is unsure if no epoch contains the time, or if an older one
 * contains it too, at most LATE_NS before the record was stored. */
static guint epoch_of(const StrobeDeviceClock *clock, guint newest, gint64 stored_ns,
                      gint64 device_ns, gboolean *is_sure)
{
    guint best = newest, n_fit = 0;
    gint64 nearest = G_MAXINT64;

    for (guint back = 0; back <= MIN(newest, EPOCHS_BACK); back++) {
        const struct epoch *epoch = epoch_at(clock, newest - back);
        gint64 ns = time_in(clock, epoch, device_ns);
        gint64 off = measure_excess(clock, epoch, ns, stored_ns);
        n_fit += off == 0 && (n_fit == 0 || ns >= sum_of(stored_ns, -LATE_NS));
        if (off < nearest) {
            nearest = off;
            best = newest - back;
        }
    }
    *is_sure &= n_fit == 1;
    return best;
}

/* Is a time outside of the epoch's own knots, on a side where the clock jumped? */
static gboolean is_in_link(const StrobeDeviceClock *clock, const struct epoch *epoch, gint64 ns)
{
    return (epoch->first > 0 && ns < knot_at(clock, epoch->first)->host_ns) ||
           (epoch->end < clock->knots->len && ns > knot_at(clock, epoch->end - 1)->host_ns);
}

static gboolean convert_near_jumps(const StrobeDeviceClock *clock, gint64 stored_ns, gint64 *begin,
                                   gint64 *end)
{
    gboolean is_sure = TRUE;
    guint newest = epoch_before(clock, sum_of(stored_ns, ORDER_NS));
    guint index = epoch_of(clock, newest, stored_ns, *end, &is_sure);
    const struct epoch *epoch = epoch_at(clock, index);
    gint64 begin_ns = time_in(clock, epoch, *begin), end_ns;

    if (*begin <= *end && measure_excess(clock, epoch, begin_ns, stored_ns) == 0) {
        end_ns = sum_of(begin_ns, *end - *begin);
    } else { /* the clock jumped inside the span */
        gboolean is_begin_sure = TRUE;
        end_ns = time_in(clock, epoch, *end);
        epoch = epoch_at(clock, epoch_of(clock, index, end_ns, *begin, &is_begin_sure));
        begin_ns = MIN(time_in(clock, epoch, *begin), end_ns);
        is_sure = FALSE;
    }
    is_sure &= !is_in_link(clock, epoch, begin_ns);
    *begin = begin_ns;
    *end = end_ns;
    return is_sure;
}

StrobeDeviceTime strobe_device_clock_convert(const StrobeDeviceClock *clock, gint64 stored_ns,
                                             gint64 *begin_ns, gint64 *end_ns)
{
    gint64 duration = MAX(*end_ns, *begin_ns) - *begin_ns;

    if (!is_time(*begin_ns) || !is_time(*end_ns) || clock->epochs->len == 0)
        return STROBE_DEVICE_TIME_UNKNOWN;
    if (clock->epochs->len > 1)
        return convert_near_jumps(clock, stored_ns, begin_ns, end_ns) ? STROBE_DEVICE_TIME_SURE
                                                                      : STROBE_DEVICE_TIME_UNSURE;
    *begin_ns = time_in(clock, epoch_at(clock, 0), *begin_ns);
    *end_ns = sum_of(*begin_ns, duration);
    return STROBE_DEVICE_TIME_SURE;
}
