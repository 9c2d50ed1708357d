/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the passes of the drain thread that brought no record of the window.
 *
 * MSPTI hands records over during a pass, and they may be read before the pass returns. So every
 * pass that has begun when records are read may have brought these records: only passes that begin
 * later count as quiet.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_QUIET_PASSES_H
#define STROBE_PLUGINS_NPU_TASK_QUIET_PASSES_H

#include <stdint.h>

typedef struct NpuQuiet {
    uint64_t n_reported; /* number of records at the last call */
    uint64_t n_loud;     /* number of the latest pass that may have brought records */
} NpuQuiet;

/* Returns the number of complete passes since the last records. The caller must read `n_passes`
 * before it reads the buffers, and `n_begun` afterwards. */
static inline uint64_t npu_quiet_count(NpuQuiet *quiet, uint64_t n_reported, uint64_t n_passes,
                                       uint64_t n_begun)
{
    if (n_reported != quiet->n_reported)
        quiet->n_loud = n_begun;
    quiet->n_reported = n_reported;
    return n_passes > quiet->n_loud ? n_passes - quiet->n_loud : 0;
}

#endif
