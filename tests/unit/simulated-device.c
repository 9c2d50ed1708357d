/* SPDX-License-Identifier: Apache-2.0 */
#include "simulated-device.h"

#include <math.h>

gint64 simulated_device_time(const SimulatedDevice *device, gint64 true_ns)
{
    double t = (double)true_ns, ahead = t * device->drift_ppm * 1e-6;
    gint64 jumped = 0;

    if (device->period_ns > 0) {
        double turn = 2 * G_PI / device->period_ns;
        ahead += device->swing_ppm * 1e-6 * (1 - cos(turn * t)) / turn;
    }
    for (guint i = 0; i < device->n_jumps; i++)
        if (true_ns >= device->jump_at[i])
            jumped += device->jump_by[i];
    return device->zero_ns + true_ns + (gint64)llround(ahead) + jumped;
}

StrobeDevicePair simulated_device_pair(const SimulatedDevice *device, gint64 true_ns, guint64 least,
                                       guint64 most)
{
    gint64 width = (gint64)least + (gint64)(g_rand_double(device->rand) *
                                            g_rand_double(device->rand) * (double)(most - least));
    gint64 into = (gint64)(g_rand_double(device->rand) * (double)width);

    return (StrobeDevicePair){.device_ns = simulated_device_time(device, true_ns + into),
                              .host_ns = true_ns + width / 2,
                              .width_ns = (guint64)width};
}
