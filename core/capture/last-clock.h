/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a capture that its program left open, for who finishes it later: perhaps after days,
 * after a reboot, or with a counter that was reset since.
 */
#ifndef STROBE_CORE_LAST_CLOCK_H
#define STROBE_CORE_LAST_CLOCK_H

#include <glib.h>
#include "clock-trend.h"

typedef struct StrobeLastClock {
    StrobeClockTrend trend;
    StrobeClockPair pair; /* the last one */
    guint n;              /* pairs seen */
} StrobeLastClock;

/* The pair of the next block. Pairs that make no sense are left out. */
void strobe_last_clock_follow(StrobeLastClock *clock, const StrobeClockPair *pair);

/* Does `now`, a pair of the same kind of clock and the same boot, go on from the last one? Not if
 * the counter was disturbed since. */
gboolean strobe_last_clock_goes_on(const StrobeLastClock *clock, const StrobeClockPair *now);

/* No record that its program left is later; `now` is NULL where the clock does not go on. */
guint64 strobe_last_clock_limit(const StrobeLastClock *clock, const StrobeClockPair *now);

/* The pair at `ticks`, on the way from the last one to `now`; without that, extrapolated. */
StrobeClockPair strobe_last_clock_at(const StrobeLastClock *clock, guint64 ticks,
                                     const StrobeClockPair *now);

#endif
