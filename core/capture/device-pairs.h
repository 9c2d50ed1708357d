/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs: moments whose time is known both on a device's clock and on the host's clock. Chooses the
 * exact pairs. */
#ifndef STROBE_CORE_DEVICE_PAIRS_H
#define STROBE_CORE_DEVICE_PAIRS_H

#include <glib.h>

/* Maximum expected change of rates within seconds, and difference of two oscillators. */
#define STROBE_DEVICE_DRIFT_CHANGE 1e-5
#define STROBE_DEVICE_DRIFT_MAX 2e-4

typedef struct StrobeDevicePair {
    gint64 device_ns;
    gint64 host_ns;   /* CLOCK_MONOTONIC; the middle of the reading */
    guint64 width_ns; /* width of the reading; STROBE_ABSENT_U64: unknown */
} StrobeDevicePair;

/* Sorts pairs (a GArray of StrobeDevicePair, all with a width) by time and removes each pair that
 * is less exact than a neighbour extrapolated to its time. */
void strobe_device_pairs_choose(GArray *pairs);

#endif
