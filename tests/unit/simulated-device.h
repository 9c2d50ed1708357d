/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a device's clock that drifts, wobbles and jumps as requested, relative to the true
 * time. */
#ifndef STROBE_TESTS_SIMULATED_DEVICE_H
#define STROBE_TESTS_SIMULATED_DEVICE_H

#include "device-clock.h"

#define SIMULATED_JUMPS_MAX 8

typedef struct SimulatedDevice {
    gint64 zero_ns;   /* its value at time 0 */
    double drift_ppm; /* error of its rate */
    double swing_ppm; /* amplitude by which the rate varies around that */
    double period_ns; /* period of this variation */
    guint n_jumps;
    gint64 jump_at[SIMULATED_JUMPS_MAX], jump_by[SIMULATED_JUMPS_MAX]; /* in the order of time */
    GRand *rand;
} SimulatedDevice;

/* The clock's value at a true time. */
gint64 simulated_device_time(const SimulatedDevice *device, gint64 true_ns);

/* Reads both clocks at about `true_ns`: the host's clock before and after, `least` to `most` ns
 * apart, and the device's clock at any moment in between. */
StrobeDevicePair simulated_device_pair(const SimulatedDevice *device, gint64 true_ns, guint64 least,
                                       guint64 most);

#endif
