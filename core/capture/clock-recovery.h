/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of a capture that its program left open, for recovery. Recovery may run days later,
 * after a reboot, or after a reset of the counter.
 */
#ifndef STROBE_CORE_CLOCK_RECOVERY_H
#define STROBE_CORE_CLOCK_RECOVERY_H

#include <glib.h>
#include "clock-trend.h"

typedef struct StrobeClockRecovery {
    StrobeClockTrend trend;
    StrobeClockPair pair; /* the last pair */
    guint n;              /* number of pairs so far */
} StrobeClockRecovery;

/* Adds the pair of the next block. Ignores invalid pairs. */
void strobe_clock_recovery_follow(StrobeClockRecovery *clock, const StrobeClockPair *pair);

/* Does `now`, a pair of the same clock and the same boot, continue the last pair? It does not if
 * the counter was disturbed between the two pairs. */
gboolean strobe_clock_recovery_goes_on(const StrobeClockRecovery *clock,
                                       const StrobeClockPair *now);

/* Returns an upper limit of all record times of the program, in ticks. `now` is the present pair;
 * NULL: the clock does not continue. */
guint64 strobe_clock_recovery_limit(const StrobeClockRecovery *clock, const StrobeClockPair *now);

/* Returns the pair at `ticks`, interpolated between the last pair and `now`, or extrapolated if
 * `now` is NULL. */
StrobeClockPair strobe_clock_recovery_at(const StrobeClockRecovery *clock, guint64 ticks,
                                         const StrobeClockPair *now);

#endif
