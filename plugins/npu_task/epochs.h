/* SPDX-License-Identifier: Apache-2.0 */
/* Determines whether a record's times were taken before or after a step of the wall clock. */
#ifndef STROBE_PLUGINS_NPU_TASK_EPOCHS_H
#define STROBE_PLUGINS_NPU_TASK_EPOCHS_H

#include <stddef.h>
#include <stdint.h>

#include "npu-clock.h"
#include "walk.h"

/* A buffer that MSPTI filled, and the times, by CLOCK_MONOTONIC, when MSPTI requested it and handed
 * it over. */
typedef struct NpuFilled {
    uint8_t *bytes;
    size_t valid;
    int64_t asked_ns, handed_ns;
} NpuFilled;

/* Converts all times in the buffer to the clock that is never set (npu-clock.h). Does nothing if
 * the wall clock was never set. */
void npu_epochs_resolve(NpuClock *clock, const NpuFilled *buffer, MsptiStructSize *size_of);

/* Returns the number of records since the last call whose time is uncertain by more than 1 ms. Sets
 * `off_ns` to the largest possible error. */
uint64_t npu_epochs_take_unsure(NpuClock *clock, uint64_t *off_ns);

#endif
