/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of MSPTI's times: ns of CLOCK_REALTIME, of host and devices alike.
 *
 * It runs as CLOCK_MONOTONIC does; only the distance between the two is changed at times, in steps:
 * between two steps lies an epoch. So the distance that was read once stays until a reading
 * contradicts it, and times of one window are as far apart as the library says, to the ns. What is
 * recorded are times of a clock that is never set: those of the first epoch, which goes on.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_CLOCK_H
#define STROBE_PLUGINS_NPU_TASK_CLOCK_H

#include <stdint.h>

#define NPU_EPOCHS 16u  /* the latest that are known */
#define NPU_SOURCES 33u /* the host, and devices by their number */

/* Times are of CLOCK_MONOTONIC. */
typedef struct NpuEpoch {
    int64_t distance_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
    int64_t from_ns;     /* it began then at the earliest: the last reading before it */
    int64_t seen_ns;     /* ... at the latest */
} NpuEpoch;

/* Who takes the times: MSPTI looks at the clock every 7 s, for the host and for each device. */
typedef struct NpuSource {
    uint32_t epoch;    /* of its last record */
    uint64_t last_ns;  /* that record's end, as told */
    uint64_t n_unsure; /* records of which the epoch is not certain */
    uint64_t off_ns;   /* how far away the other answer is, at most */
} NpuSource;

typedef struct NpuClock {
    uint64_t width_ns; /* of the reading that the distance is of; 0: there was none */
    int64_t base_ns;   /* the first distance */
    int64_t read_ns;   /* when it was read last */
    uint32_t n_epochs; /* ever; the last one is that of now */
    NpuEpoch epochs[NPU_EPOCHS];
    NpuSource sources[NPU_SOURCES];
} NpuClock;

/* One moment in both clocks. */
typedef struct NpuInstant {
    int64_t realtime_ns, monotonic_ns;
    uint64_t width_ns;
} NpuInstant;

/* Reads both clocks now. */
NpuInstant npu_instant_read(void);

/* Does a rough reading show that there was a step? */
int npu_clock_has_stepped(const NpuClock *clock);

/* Takes a reading, and says where it lies by the distance that is believed now; as if the clock had
 * never been set. */
NpuInstant npu_clock_take(NpuClock *clock, const NpuInstant *read);

static inline const NpuEpoch *npu_clock_epoch(const NpuClock *clock, uint32_t number)
{
    return &clock->epochs[number % NPU_EPOCHS];
}

/* Now, of the clock that is never set. There was a reading. */
uint64_t npu_clock_now(const NpuClock *clock);

#endif
