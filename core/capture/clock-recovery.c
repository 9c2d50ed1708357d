/* SPDX-License-Identifier: Apache-2.0 */
#include "clock-recovery.h"

/* Maximum time for which a program may have recorded after its last pair: flush_interval. */
#define UNWRITTEN_NS 60000000000

/* Maximum change of the rate since the last pair, for computed pairs. */
#define RATE_CHANGE 1e-6

void strobe_clock_recovery_follow(StrobeClockRecovery *clock, const StrobeClockPair *pair)
{
    if (clock->trend.summary.n_knots == 0)
        strobe_clock_trend_begin(&clock->trend, pair->ns_per_tick);
    strobe_clock_trend_add(&clock->trend, pair);
    if (pair->monotonic_ns > STROBE_CLOCK_NS_LIMIT || pair->monotonic_ns < -STROBE_CLOCK_NS_LIMIT)
        return;
    if (clock->n++ == 0 || pair->monotonic_ns >= clock->pair.monotonic_ns)
        clock->pair = *pair;
}

static double known_rate(const StrobeClockRecovery *clock)
{
    return clock->trend.ns_per_tick > 0 ? clock->trend.ns_per_tick : 1;
}

gboolean strobe_clock_recovery_goes_on(const StrobeClockRecovery *clock, const StrobeClockPair *now)
{
    const StrobeClockPair *last = &clock->pair;
    double known = clock->trend.ns_per_tick;

    if (now->ticks <= last->ticks || now->monotonic_ns <= last->monotonic_ns)
        return FALSE;
    double ticks = (double)(now->ticks - last->ticks);
    double rate = (double)(now->monotonic_ns - last->monotonic_ns) / ticks;
    return known <= 0 ||
           strobe_clock_agrees(rate, known, ((double)now->gap + last->gap) * known / ticks);
}

guint64 strobe_clock_recovery_limit(const StrobeClockRecovery *clock, const StrobeClockPair *now)
{
    if (now)
        return now->ticks;
    return clock->pair.ticks + (guint64)MIN(UNWRITTEN_NS / known_rate(clock), 1e18);
}

/* Adds `ns` to a time; the sum of two damaged values wraps around. */
static gint64 shift_time(gint64 from, gint64 ns)
{
    return (gint64)((guint64)from + (guint64)ns);
}

StrobeClockPair strobe_clock_recovery_at(const StrobeClockRecovery *clock, guint64 ticks,
                                         const StrobeClockPair *now)
{
    StrobeClockPair pair = clock->pair;
    double distance = ticks > pair.ticks ? (double)(ticks - pair.ticks) : 0;
    double gap = pair.gap + 2 * distance * RATE_CHANGE;
    double rate = known_rate(clock);

    if (now)
        rate = (double)(now->monotonic_ns - pair.monotonic_ns) / (double)(now->ticks - pair.ticks);
    gint64 ns = (gint64)CLAMP(distance * rate, 0, 1e18);
    pair.ticks = MAX(ticks, pair.ticks);
    pair.monotonic_ns = shift_time(pair.monotonic_ns, ns);
    pair.realtime_ns = shift_time(pair.realtime_ns, ns);
    pair.boottime_ns = shift_time(pair.boottime_ns, ns);
    pair.gap = now && gap < STROBE_CLOCK_COMPUTED ? (guint32)gap : STROBE_CLOCK_COMPUTED;
    return pair;
}
