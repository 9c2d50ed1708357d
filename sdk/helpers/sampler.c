/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/sampler.h>

#include <time.h>

uint64_t strobe_sampler_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

StrobeTrackId strobe_sampler_track(const StrobeHost *host, StrobeInstance *self, const char *group,
                                   int32_t device)
{
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_COUNTER,
                               .clock = STROBE_CLOCK_HOST,
                               .device = device,
                               .name = group,
                               .group = group};

    return host->track(self, &track);
}
