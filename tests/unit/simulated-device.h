/* SPDX-License-Identifier: Apache-2.0 */
/* A device's clock that drifts, wobbles and jumps as told, beside the true time. */
#ifndef STROBE_TESTS_SIMULATED_DEVICE_H
#define STROBE_TESTS_SIMULATED_DEVICE_H

#include "device-clock.h"

#define SIMULATED_JUMPS_MAX 8

typedef struct SimulatedDevice {
    gint64 zero_ns;   /* what it says at time 0 */
    double drift_ppm; /* of its rate */
    double swing_ppm; /* by which the rate swings about that */
    double period_ns; /* of the swing */
    guint n_jumps;
    gint64 jump_at[SIMULATED_JUMPS_MAX], jump_by[SIMULATED_JUMPS_MAX]; /* in order of time */
    GRand *rand;
} SimulatedDevice;

/* What the clock says at a true time. */
gint64 simulated_device_time(const SimulatedDevice *device, gint64 true_ns);

/* Reads both clocks at about `true_ns`: the host before and after, `least` to `most` ns apart, the
 * device at any moment in between. */
StrobeDevicePair simulated_device_pair(const SimulatedDevice *device, gint64 true_ns, guint64 least,
                                       guint64 most);

#endif
