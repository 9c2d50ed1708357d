/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the clocks of a capture other than the host's, by track, from the capture's "clock_sync"
 * records. */
#ifndef STROBE_CORE_DEVICE_CLOCKS_H
#define STROBE_CORE_DEVICE_CLOCKS_H

#include "device-clock.h"
#include "reader-definitions.h"

/* Maximum number of clocks; further clocks are treated like clocks without a pair. */
#define STROBE_DEVICE_CLOCKS_MAX 1024u

typedef struct StrobeDeviceClocks StrobeDeviceClocks;

StrobeDeviceClocks *strobe_device_clocks_new(void);
void strobe_device_clocks_free(StrobeDeviceClocks *clocks);

/* Takes the pairs from a block of records whose own track is `track`, as captured. Their kinds
 * and tracks must be defined. */
void strobe_device_clocks_take(StrobeDeviceClocks *clocks, const StrobeDefinitions *definitions,
                               const char *block, gsize n, guint32 track);
/* Gives the tracks their clocks. Call it when all records are taken and all tracks are defined. The
 * error bounds cover times between two values of CLOCK_MONOTONIC; host times are off by at most
 * `host_error_ns`. */
void strobe_device_clocks_finish(StrobeDeviceClocks *clocks, StrobeDefinitions *definitions,
                                 gint64 begin_ns, gint64 end_ns, guint64 host_error_ns);

/* Returns the clock with this number (StrobeReaderTrack.clock_number, from 1), NULL if there are
 * fewer clocks. */
const StrobeDeviceClock *strobe_device_clocks_at(const StrobeDeviceClocks *clocks, guint32 number);
const StrobeClockView *strobe_device_clocks_view(const StrobeDeviceClocks *clocks, guint32 number);
guint32 strobe_device_clocks_count(const StrobeDeviceClocks *clocks);

#endif
