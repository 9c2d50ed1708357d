/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The clock of MSPTI's times: ns of CLOCK_REALTIME, of host and devices alike.
 *
 * It runs as CLOCK_MONOTONIC does; only the distance between the two is changed at times, in steps.
 * So the distance that was read once stays until a reading contradicts it, and times of one window
 * are as far apart as the library says, to the ns.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_CLOCK_H
#define STROBE_PLUGINS_NPU_TASK_CLOCK_H

#include <stdint.h>

typedef struct NpuClock {
    int64_t distance_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC */
    uint64_t width_ns;   /* of the reading; 0: there was none */
    uint64_t back_ns;    /* all steps back together */
    uint32_t n_steps;
} NpuClock;

/* One moment in both clocks, read now. */
typedef struct NpuMoment {
    int64_t realtime_ns, monotonic_ns;
    uint64_t width_ns;
} NpuMoment;

NpuMoment npu_moment_read(void);

/* Does a rough reading show that there was a step? */
int npu_clock_has_stepped(const NpuClock *clock);

/* Takes a reading, and says where it lies by the distance that is believed now. */
NpuMoment npu_clock_take(NpuClock *clock, const NpuMoment *read);

#endif
