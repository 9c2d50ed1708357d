/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a capture that its program left open, for recovery: perhaps days later, after a
 * reboot, or after a reset of the counter.
 */
#ifndef STROBE_CORE_CLOCK_RECOVERY_H
#define STROBE_CORE_CLOCK_RECOVERY_H

#include <glib.h>
#include "clock-trend.h"

typedef struct StrobeClockRecovery {
    StrobeClockTrend trend;
    StrobeClockPair pair; /* the last one */
    guint n;              /* pairs seen */
} StrobeClockRecovery;

/* The pair of the next block. Pairs that make no sense are left out. */
void strobe_clock_recovery_follow(StrobeClockRecovery *clock, const StrobeClockPair *pair);

/* Does `now`, a pair of the same kind of clock and the same boot, go on from the last one? Not if
 * the counter was disturbed since. */
gboolean strobe_clock_recovery_goes_on(const StrobeClockRecovery *clock,
                                       const StrobeClockPair *now);

/* No record that its program left is later; `now` is NULL where the clock does not go on. */
guint64 strobe_clock_recovery_limit(const StrobeClockRecovery *clock, const StrobeClockPair *now);

/* The pair at `ticks`, on the way from the last one to `now`; without that, extrapolated. */
StrobeClockPair strobe_clock_recovery_at(const StrobeClockRecovery *clock, guint64 ticks,
                                         const StrobeClockPair *now);

#endif
