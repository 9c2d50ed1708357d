/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of the host clock to time: piecewise linear through the capture's clock pairs. */
#ifndef STROBE_CORE_CLOCK_MAP_H
#define STROBE_CORE_CLOCK_MAP_H

#include <glib.h>
#include "clock.h"

typedef struct StrobeClockMap StrobeClockMap;

StrobeClockMap *strobe_clock_map_new(void);
void strobe_clock_map_free(StrobeClockMap *map);
/* Adds a pair, in any order. */
void strobe_clock_map_add(StrobeClockMap *map, const StrobeClockPair *pair);
/* No more pairs: call before the first conversion. */
void strobe_clock_map_finish(StrobeClockMap *map);

/* ns since the epoch. The same function for all records of a capture, and monotonic. */
gint64 strobe_clock_map_from_ticks(const StrobeClockMap *map, guint64 ticks);
gint64 strobe_clock_map_from_monotonic(const StrobeClockMap *map, gint64 ns);

#endif
