/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts counts of the host clock to time, by a piecewise linear function through the capture's
 * clock pairs that is split where the counter jumped (see clock-trend.h).
 *
 * After a reset the same count may mean two times. The block that contains the count decides: its
 * records were recorded before the block's clock pair was read.
 *
 * A count inside a broken link is extrapolated from the nearer of the link's two knots; the result
 * is never outside of the link. The order of counts before and after a jump is kept; the converted
 * counts narrow down the position of the jump.
 */
#ifndef STROBE_CORE_CLOCK_MAP_H
#define STROBE_CORE_CLOCK_MAP_H

#include <glib.h>
#include "clock-trend.h"

/* An event of the counter, and the times around it (ns since the epoch). */
typedef struct StrobeClockEvent {
    guint32 cause; /* STROBE_CLOCK_SUSPEND ... */
    /* a time between begin_ns and end_ns may be off by up to their difference */
    gboolean is_broken;
    gint64 begin_ns, end_ns;
    gint64 amount_ns; /* SUSPEND: time suspended; JUMP: ahead, negative: behind */
} StrobeClockEvent;

/* maximum number of events that are kept; all events are counted */
#define STROBE_CLOCK_EVENTS_MAX 100u

typedef struct StrobeClockMap StrobeClockMap;

StrobeClockMap *strobe_clock_map_new(void);
void strobe_clock_map_free(StrobeClockMap *map);
/* Adds a pair, in any order. */
void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair);
/* Call it when all pairs are added, before the first conversion. The error bound covers counts up
 * to `end_ticks`, or up to the last pair if `end_ticks` is 0. */
void strobe_clock_map_finish(StrobeClockMap *map, guint64 end_ticks);

/* Says that the next counts to convert come from a block with this pair. Before the first call,
 * counts are taken as from a block with the first pair. */
void strobe_clock_map_seek(StrobeClockMap *map, const StrobeClockPair *pair);
/* Converts a count of the counter to ns since the epoch. `map` is not const, because the call
 * caches the segment and narrows down the jumps. */
gint64 strobe_clock_map_from_ticks(StrobeClockMap *map, guint64 ticks);
gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns);

/* Returns the summary of the pairs; call it after strobe_clock_map_finish. */
const StrobeClockSummary *strobe_clock_map_summary(const StrobeClockMap *map);
double strobe_clock_map_ns_per_tick(const StrobeClockMap *map);
const StrobeClockEvent *strobe_clock_map_events(const StrobeClockMap *map, guint *n);

#endif
