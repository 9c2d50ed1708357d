/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times of one device's clock to CLOCK_MONOTONIC: piecewise linear through pairs of both, by the
 * same rules as the host's counter (clock-trend.h), cut where the device's clock jumped.
 *
 * What lies between two jumps is an epoch. A time of the device may be one of several epochs, for a
 * clock that went back says the same times again: it is of the newest one that it fits into and
 * that had begun when its record was stored. A span keeps the duration that the device gave it,
 * unless a jump lies inside.
 */
#ifndef STROBE_CORE_DEVICE_CLOCK_H
#define STROBE_CORE_DEVICE_CLOCK_H

#include <strobe/exporter.h>
#include "device-pairs.h"

/* Pairs that one clock keeps; beyond these the wider one of every two is forgotten. */
#define STROBE_DEVICE_PAIRS_MAX 16384u

typedef struct StrobeDeviceClock StrobeDeviceClock;

StrobeDeviceClock *strobe_device_clock_new(StrobeTrackId track);
void strobe_device_clock_free(gpointer clock);

/* Adds a pair, in any order. One that makes no sense is left out. */
void strobe_device_clock_add(StrobeDeviceClock *clock, const StrobeDevicePair *pair);
/* No more pairs. Times between `begin_ns` and `end_ns` of the host will be converted: the bound of
 * the error counts these. */
void strobe_device_clock_finish(StrobeDeviceClock *clock, gint64 begin_ns, gint64 end_ns);

typedef enum StrobeDeviceTime {
    STROBE_DEVICE_TIME_UNKNOWN, /* no pair says when that was: the times stay as they are */
    STROBE_DEVICE_TIME_UNSURE,  /* a jump lies near */
    STROBE_DEVICE_TIME_SURE
} StrobeDeviceTime;

/* Converts in place the begin and end of a record that was stored before `stored_ns` of the host.
 */
StrobeDeviceTime strobe_device_clock_convert(const StrobeDeviceClock *clock, gint64 stored_ns,
                                             gint64 *begin_ns, gint64 *end_ns);

/* By how much a time may be off; 0: not known. */
guint64 strobe_device_clock_error(const StrobeDeviceClock *clock);
/* What is known of it, complete once it is finished; lives as long as the clock. */
StrobeClockView *strobe_device_clock_view(StrobeDeviceClock *clock);

#endif
