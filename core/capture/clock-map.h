/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts counts of the host clock to time: piecewise linear through the capture's clock pairs,
 * split where the counter jumped (see clock-trend.h).
 *
 * After a reset the same count may mean two times. The block of the count decides: its records
 * were recorded before its own pair was taken.
 *
 * Inside a broken link a count is extrapolated from the nearer end, and never beyond the link's
 * ends. The order of counts before and after a jump is kept; the position of the jump is
 * narrowed down by the converted counts.
 */
#ifndef STROBE_CORE_CLOCK_MAP_H
#define STROBE_CORE_CLOCK_MAP_H

#include <glib.h>
#include "clock-trend.h"

/* An event of the counter, and the times around it (ns since the epoch). */
typedef struct StrobeClockEvent {
    guint32 cause;      /* STROBE_CLOCK_SUSPEND ... */
    gboolean is_broken; /* a time in between may be off by up to end_ns - begin_ns */
    gint64 begin_ns, end_ns;
    gint64 amount_ns; /* SUSPEND: time suspended; JUMP: ahead, negative: behind */
} StrobeClockEvent;

#define STROBE_CLOCK_EVENTS_MAX 100u /* maximum number of kept events; all are counted */

typedef struct StrobeClockMap StrobeClockMap;

StrobeClockMap *strobe_clock_map_new(void);
void strobe_clock_map_free(StrobeClockMap *map);
/* Adds a pair, in any order. */
void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair);
/* No more pairs follow; call it before the first conversion. Counts up to `end_ticks` will be
 * converted, or up to the last pair if that is 0; the error bound covers them. */
void strobe_clock_map_finish(StrobeClockMap *map, guint64 end_ticks);

/* The next counts belong to a block with this pair; before the first call, to one with the first
 * pair. */
void strobe_clock_map_seek(StrobeClockMap *map, const StrobeClockPair *pair);
/* Converts to ns since the epoch. Not const: it remembers the segment, and narrows down the
 * jumps. */
gint64 strobe_clock_map_from_ticks(StrobeClockMap *map, guint64 ticks);
gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns);

/* The summary of the pairs, once finished. */
const StrobeClockSummary *strobe_clock_map_summary(const StrobeClockMap *map);
double strobe_clock_map_ns_per_tick(const StrobeClockMap *map);
const StrobeClockEvent *strobe_clock_map_events(const StrobeClockMap *map, guint *n);

#endif
