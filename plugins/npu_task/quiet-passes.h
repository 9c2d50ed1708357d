/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Passes of the drain that bring no record of the window.
 *
 * The library hands records over before the pass returns, and they may be taken in between: a pass
 * that has begun when records are taken may have brought them, so only passes that begin later
 * count.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_QUIET_PASSES_H
#define STROBE_PLUGINS_NPU_TASK_QUIET_PASSES_H

#include <stdint.h>

typedef struct NpuQuiet {
    uint64_t n_reported; /* records at the last look */
    uint64_t n_loud;     /* passes that may have brought records, the latest one's number */
} NpuQuiet;

/* Returns the number of complete passes since the last records. `n_passes` is read before the
 * buffers are taken, `n_begun` afterwards. */
static inline uint64_t npu_quiet_count(NpuQuiet *quiet, uint64_t n_reported, uint64_t n_passes,
                                       uint64_t n_begun)
{
    if (n_reported != quiet->n_reported)
        quiet->n_loud = n_begun;
    quiet->n_reported = n_reported;
    return n_passes > quiet->n_loud ? n_passes - quiet->n_loud : 0;
}

#endif
