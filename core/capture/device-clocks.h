/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of a capture that are not the host's, by the tracks whose they are; made of its
 * records of "clock_sync". */
#ifndef STROBE_CORE_DEVICE_CLOCKS_H
#define STROBE_CORE_DEVICE_CLOCKS_H

#include "device-clock.h"
#include "reader-definitions.h"

/* Clocks beyond these are as good as those without a pair. */
#define STROBE_DEVICE_CLOCKS_MAX 1024u

typedef struct StrobeDeviceClocks StrobeDeviceClocks;

StrobeDeviceClocks *strobe_device_clocks_new(void);
void strobe_device_clocks_free(StrobeDeviceClocks *clocks);

/* Takes the pairs out of a block of records whose own track is `track`, as captured. The kinds and
 * tracks that they name are defined. */
void strobe_device_clocks_take(StrobeDeviceClocks *clocks, const StrobeDefinitions *definitions,
                               const char *block, gsize n, guint32 track);
/* No more records; all tracks are defined and are told their clocks. Times between two of
 * CLOCK_MONOTONIC will be converted; those of the host are off by `host_error_ns` at most. */
void strobe_device_clocks_finish(StrobeDeviceClocks *clocks, StrobeDefinitions *definitions,
                                 gint64 begin_ns, gint64 end_ns, guint64 host_error_ns);

/* The clock with this number of a track's view (1 to n), NULL beyond. */
const StrobeDeviceClock *strobe_device_clocks_at(const StrobeDeviceClocks *clocks, guint32 number);
const StrobeClockView *strobe_device_clocks_view(const StrobeDeviceClocks *clocks, guint32 number);
guint32 strobe_device_clocks_count(const StrobeDeviceClocks *clocks);

#endif
