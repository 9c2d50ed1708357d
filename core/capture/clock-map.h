/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts of the host clock to time: piecewise linear through the capture's clock pairs, cut where
 * the counter jumped (see clock-trend.h).
 *
 * Where it was reset, the same count may mean two times. So a count is read in the light of the
 * block that it stands in: what the block holds was recorded before the block's own pair was taken.
 *
 * Inside a broken link a count is extrapolated from the nearer side, and never beyond the link's
 * ends. What lies on one side of a jump is never given a time beyond something that lies on the
 * other; where the jump was in between is found out from the counts that are converted.
 */
#ifndef STROBE_CORE_CLOCK_MAP_H
#define STROBE_CORE_CLOCK_MAP_H

#include <glib.h>
#include "clock-trend.h"

/* Something that happened to the counter, and between which times (ns since the epoch). */
typedef struct StrobeClockEvent {
    guint32 cause;      /* STROBE_CLOCK_SUSPEND ... */
    gboolean is_broken; /* a time in between may be off by as much as end_ns - begin_ns */
    gint64 begin_ns, end_ns;
    gint64 amount_ns; /* SUSPEND: slept; JUMP: ahead, negative behind */
} StrobeClockEvent;

#define STROBE_CLOCK_EVENTS_MAX 100u /* that are kept; all are counted */

typedef struct StrobeClockMap StrobeClockMap;

StrobeClockMap *strobe_clock_map_new(void);
void strobe_clock_map_free(StrobeClockMap *map);
/* Adds a pair, in any order. */
void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair);
/* No more pairs: call before the first conversion. Counts up to `end_ticks` will be converted, or
 * up to the last pair if that is 0; the error's bound counts these. */
void strobe_clock_map_finish(StrobeClockMap *map, guint64 end_ticks);

/* The counts that follow stand in a block with this pair. To begin with it is the first one. */
void strobe_clock_map_seek(StrobeClockMap *map, const StrobeClockPair *pair);
/* ns since the epoch. Not const: it remembers the segment, and what it learned about jumps. */
gint64 strobe_clock_map_from_ticks(StrobeClockMap *map, guint64 ticks);
gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns);

/* What the pairs say, once finished. */
const StrobeClockSummary *strobe_clock_map_summary(const StrobeClockMap *map);
double strobe_clock_map_ns_per_tick(const StrobeClockMap *map);
const StrobeClockEvent *strobe_clock_map_events(const StrobeClockMap *map, guint *n);

#endif
