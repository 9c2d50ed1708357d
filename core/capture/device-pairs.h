/* SPDX-License-Identifier: Apache-2.0 */
/* Moments in a device's clock and the host's, and which of them to go by. */
#ifndef STROBE_CORE_DEVICE_PAIRS_H
#define STROBE_CORE_DEVICE_PAIRS_H

#include <glib.h>

/* By how much rates are expected to change at most, for seconds, and two oscillators to differ. */
#define STROBE_DEVICE_DRIFT_CHANGE 1e-5
#define STROBE_DEVICE_DRIFT_MAX 2e-4

typedef struct StrobeDevicePair {
    gint64 device_ns;
    gint64 host_ns;   /* CLOCK_MONOTONIC; the middle of the reading */
    guint64 width_ns; /* of the reading; STROBE_ABSENT_U64: not told */
} StrobeDevicePair;

/* Puts pairs (a GArray of StrobeDevicePair, all with a width) in order of time and leaves out those
 * that others say better. */
void strobe_device_pairs_choose(GArray *pairs);

#endif
