/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts times of one device's clock to CLOCK_MONOTONIC, by a piecewise linear function through
 * clock pairs that is split where the device's clock jumped. The rules are those for the host's
 * counter (clock-trend.h).
 *
 * The range between two jumps is an epoch. After a clock went back, the same device time occurs in
 * several epochs. It then belongs to the newest of these epochs that had begun when the record was
 * stored. A span keeps the duration that it has on the device's clock, unless that clock jumped
 * inside the span.
 */
#ifndef STROBE_CORE_DEVICE_CLOCK_H
#define STROBE_CORE_DEVICE_CLOCK_H

#include <strobe/exporter.h>
#include "device-pairs.h"

/* Maximum number of pairs of a clock; if there are more, the wider pair of every two is dropped. */
#define STROBE_DEVICE_PAIRS_MAX 16384u

typedef struct StrobeDeviceClock StrobeDeviceClock;

StrobeDeviceClock *strobe_device_clock_new(StrobeTrackId track);
void strobe_device_clock_free(gpointer clock);

/* Adds a pair, in any order. Ignores an invalid pair. */
void strobe_device_clock_add(StrobeDeviceClock *clock, const StrobeDevicePair *pair);
/* Call it when all pairs are added. The error bound covers host times between `begin_ns` and
 * `end_ns`. */
void strobe_device_clock_finish(StrobeDeviceClock *clock, gint64 begin_ns, gint64 end_ns);

typedef enum StrobeDeviceTime {
    STROBE_DEVICE_TIME_UNKNOWN, /* no pair was recorded: the times stay unchanged */
    STROBE_DEVICE_TIME_UNSURE,  /* the clock jumped near the times */
    STROBE_DEVICE_TIME_SURE
} StrobeDeviceTime;

/* Converts the begin and end of a record in place. The record was stored before the host time
 * `stored_ns`. */
StrobeDeviceTime strobe_device_clock_convert(const StrobeDeviceClock *clock, gint64 stored_ns,
                                             gint64 *begin_ns, gint64 *end_ns);

/* Returns the error bound of a time; 0: unknown. */
guint64 strobe_device_clock_error(const StrobeDeviceClock *clock);
/* Returns the clock's view, complete after strobe_device_clock_finish; valid as long as the
 * clock. */
StrobeClockView *strobe_device_clock_view(StrobeDeviceClock *clock);

#endif
