/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates a device's clock, which drifts, swings and jumps relative to the true time as its
 * members say. */
#ifndef STROBE_TESTS_SIMULATED_DEVICE_H
#define STROBE_TESTS_SIMULATED_DEVICE_H

#include "device-clock.h"

#define SIMULATED_JUMPS_MAX 8

typedef struct SimulatedDevice {
    gint64 zero_ns;   /* value of the clock at the true time 0 */
    double drift_ppm; /* mean error of the clock's rate */
    double swing_ppm; /* amplitude by which the rate varies around its mean */
    double period_ns; /* period of this variation */
    guint n_jumps;
    gint64 jump_at[SIMULATED_JUMPS_MAX], jump_by[SIMULATED_JUMPS_MAX]; /* in the order of time */
    GRand *rand;
} SimulatedDevice;

/* Returns the clock's value at a true time. */
gint64 simulated_device_time(const SimulatedDevice *device, gint64 true_ns);

/* Returns a pair of readings at about `true_ns`: two of the host's clock, which are `least` to
 * `most` ns apart, and one of the device's clock at a random time in between. */
StrobeDevicePair simulated_device_pair(const SimulatedDevice *device, gint64 true_ns, guint64 least,
                                       guint64 most);

#endif
