/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts times of one device's clock to CLOCK_MONOTONIC: piecewise linear through clock pairs,
 * by the same rules as the host's counter (clock-trend.h), split where the device's clock
 * jumped.
 *
 * The range between two jumps is an epoch. After a clock went back, the same device time occurs
 * in several epochs. It belongs to the newest epoch that contains it and that had begun when its
 * record was stored. A span keeps the duration that the device gave it, unless a jump lies
 * inside.
 */
#ifndef STROBE_CORE_DEVICE_CLOCK_H
#define STROBE_CORE_DEVICE_CLOCK_H

#include <strobe/exporter.h>
#include "device-pairs.h"

/* Maximum number of pairs of a clock; above it the wider one of every two is dropped. */
#define STROBE_DEVICE_PAIRS_MAX 16384u

typedef struct StrobeDeviceClock StrobeDeviceClock;

StrobeDeviceClock *strobe_device_clock_new(StrobeTrackId track);
void strobe_device_clock_free(gpointer clock);

/* Adds a pair, in any order. Ignores an invalid one. */
void strobe_device_clock_add(StrobeDeviceClock *clock, const StrobeDevicePair *pair);
/* No more pairs follow. Host times between `begin_ns` and `end_ns` will be converted; the error
 * bound covers them. */
void strobe_device_clock_finish(StrobeDeviceClock *clock, gint64 begin_ns, gint64 end_ns);

typedef enum StrobeDeviceTime {
    STROBE_DEVICE_TIME_UNKNOWN, /* no pair was recorded: the times stay unchanged */
    STROBE_DEVICE_TIME_UNSURE,  /* a jump lies near */
    STROBE_DEVICE_TIME_SURE
} StrobeDeviceTime;

/* Converts the begin and end of a record in place. The record was stored before the host time
 * `stored_ns`. */
StrobeDeviceTime strobe_device_clock_convert(const StrobeDeviceClock *clock, gint64 stored_ns,
                                             gint64 *begin_ns, gint64 *end_ns);

/* Error bound of a time; 0: unknown. */
guint64 strobe_device_clock_error(const StrobeDeviceClock *clock);
/* The clock's view, complete once it is finished; lives as long as the clock. */
StrobeClockView *strobe_device_clock_view(StrobeDeviceClock *clock);

#endif
