/* SPDX-License-Identifier: Apache-2.0 */
#include "npu-clock.h"

#include <time.h>

#define TRIES 8
#define ROUGH_NS 2000u /* a reading with a larger width is repeated */
/* a larger difference is probably a step of the wall clock; an exact reading shows it */
#define STEP_NS 1000000
/* maximum difference of two exact readings of the distance between the clocks */
#define ROUNDING_NS 16u

static int64_t read_clock(clockid_t id)
{
    struct timespec now;

    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

NpuInstant npu_instant_read(void)
{
    NpuInstant best = {0};

    for (int i = 0; i < TRIES; i++) {
        int64_t before = read_clock(CLOCK_MONOTONIC);
        int64_t realtime = read_clock(CLOCK_REALTIME);
        int64_t after = read_clock(CLOCK_MONOTONIC);
        uint64_t width = (uint64_t)(after - before) + 1;
        if (i == 0 || width < best.width_ns)
            best = (NpuInstant){realtime, before + (after - before) / 2, width};
    }
    return best;
}

static uint64_t size_of(int64_t difference)
{
    return difference < 0 ? (uint64_t)-difference : (uint64_t)difference;
}

static int64_t distance_of(const NpuClock *clock)
{
    return npu_clock_epoch(clock, clock->n_epochs - 1)->distance_ns;
}

int npu_clock_has_stepped(const NpuClock *clock)
{
    int64_t distance = read_clock(CLOCK_REALTIME) - read_clock(CLOCK_MONOTONIC);

    return clock->n_epochs && size_of(distance - distance_of(clock)) > STEP_NS;
}

static void begin_epoch(NpuClock *clock, const NpuInstant *read, int64_t distance)
{
    if (!clock->n_epochs)
        clock->base_ns = distance;
    clock->epochs[clock->n_epochs++ % NPU_EPOCHS] =
        (NpuEpoch){distance, clock->read_ns, read->monotonic_ns};
    clock->width_ns = read->width_ns;
}

/* Replaces the distance of the last epoch by a better reading. If this is the first epoch, also
 * replaces the base. */
static void correct_epoch(NpuClock *clock, const NpuInstant *read, int64_t distance)
{
    if (clock->n_epochs == 1)
        clock->base_ns = distance;
    clock->epochs[(clock->n_epochs - 1) % NPU_EPOCHS].distance_ns = distance;
    clock->width_ns = read->width_ns;
}

NpuInstant npu_clock_take(NpuClock *clock, const NpuInstant *read)
{
    int64_t distance = read->realtime_ns - read->monotonic_ns;
    uint64_t allowed = clock->width_ns / 2 + read->width_ns / 2 + ROUNDING_NS;

    if (!clock->n_epochs || size_of(distance - distance_of(clock)) > allowed)
        begin_epoch(clock, read, distance);
    else if (clock->width_ns > ROUGH_NS && read->width_ns < clock->width_ns / 4)
        correct_epoch(clock, read, distance);
    clock->read_ns = read->monotonic_ns;
    int64_t monotonic_ns = read->realtime_ns - distance_of(clock);
    return (NpuInstant){monotonic_ns + clock->base_ns, monotonic_ns,
                        clock->width_ns > read->width_ns ? clock->width_ns : read->width_ns};
}

uint64_t npu_clock_now(const NpuClock *clock)
{
    return (uint64_t)(read_clock(CLOCK_MONOTONIC) + clock->base_ns);
}
