/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of MSPTI's times: CLOCK_REALTIME in ns, for the host and for devices.
 *
 * CLOCK_REALTIME runs at the rate of CLOCK_MONOTONIC; only the distance between the two changes, in
 * steps. The time between two steps is an epoch. The plugin uses a distance until a later reading
 * contradicts it, so that the times of one window stay as far apart as MSPTI reports, to the ns.
 * Records get the times of a clock that is never set: this clock continues the first epoch.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_CLOCK_H
#define STROBE_PLUGINS_NPU_TASK_CLOCK_H

#include <stdint.h>

#define NPU_EPOCHS 16u  /* maximum number of epochs that are stored; older epochs are dropped */
#define NPU_SOURCES 33u /* number of sources: the host, and the devices by number */

/* An epoch. Its times are those of CLOCK_MONOTONIC. */
typedef struct NpuEpoch {
    int64_t distance_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
    /* earliest possible begin: time of the last reading in the previous epoch */
    int64_t from_ns;
    int64_t seen_ns; /* latest possible begin: time of the first reading in this epoch */
} NpuEpoch;

/* A source of times: the host or a device. MSPTI reads the clock every 7 s, separately for each
 * source. */
typedef struct NpuSource {
    uint32_t epoch;    /* epoch of the source's last record */
    uint64_t last_ns;  /* end of that record, as reported */
    uint64_t n_unsure; /* number of records whose epoch is not certain */
    uint64_t off_ns;   /* largest possible error of their times */
} NpuSource;

typedef struct NpuClock {
    /* uncertainty of the reading that gave the distance; 0: no reading yet */
    uint64_t width_ns;
    int64_t base_ns;   /* the first distance */
    int64_t read_ns;   /* time of the last reading */
    uint32_t n_epochs; /* number of epochs so far, including the present one */
    NpuEpoch epochs[NPU_EPOCHS];
    NpuSource sources[NPU_SOURCES];
} NpuClock;

/* An instant, as times of the two clocks. */
typedef struct NpuInstant {
    int64_t realtime_ns, monotonic_ns;
    uint64_t width_ns;
} NpuInstant;

/* Reads the two clocks. */
NpuInstant npu_instant_read(void);

/* Returns whether a rough reading shows that the wall clock was set. */
int npu_clock_has_stepped(const NpuClock *clock);

/* Updates the clock by a reading. Returns the reading's time in both clocks, computed with the
 * distance that is now in use; `realtime_ns` is a time of the clock that is never set. */
NpuInstant npu_clock_take(NpuClock *clock, const NpuInstant *read);

static inline const NpuEpoch *npu_clock_epoch(const NpuClock *clock, uint32_t number)
{
    return &clock->epochs[number % NPU_EPOCHS];
}

/* Returns the present time of the clock that is never set. Needs an earlier npu_clock_take. */
uint64_t npu_clock_now(const NpuClock *clock);

#endif
