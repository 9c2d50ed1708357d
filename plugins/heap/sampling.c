/* SPDX-License-Identifier: Apache-2.0 */
#include "sampling.h"

#include <math.h>

/* Returns a random number from the uniform distribution in (0, 1). */
static double draw_uniform(HeapSampler *sampler)
{
    uint64_t x = sampler->random ? sampler->random : (uintptr_t)sampler | 1;
    x ^= x << 13; /* xorshift: the seed must not be 0 */
    x ^= x >> 7;
    x ^= x << 17;
    sampler->random = x;
    return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

double heap_sampling_weight(HeapSampler *sampler, size_t size, uint64_t interval)
{
    double bytes = size ? (double)size : 1;
    if (!interval)
        return 1;
    if (sampler->interval != interval) {
        sampler->interval = interval;
        for (int i = 0; i < 8; i++)
            draw_uniform(sampler);
        sampler->distance = -log(draw_uniform(sampler)) * (double)interval;
    }
    sampler->distance -= bytes;
    if (sampler->distance > 0)
        return 0;
    sampler->distance = -log(draw_uniform(sampler)) * (double)interval;
    return 1 / (1 - exp(-bytes / (double)interval));
}
