/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the kernels that were launched between two host times on any thread. The enqueues between
 * these times say which kernels; if there is no queue, the calls say it. */
#ifndef STROBE_PASSES_STEP_KERNELS_H
#define STROBE_PASSES_STEP_KERNELS_H

#include "kernel-map.h"

typedef struct StepKernels {
    /* begin of the first entry's first kernel, and end of the last entry's last kernel */
    gint64 begin_ns, end_ns;
    gint32 device, next_device; /* the next device with kernels of the step; G_MAXINT32: none */
} StepKernels;

#define STEP_NO_DEVICE G_MININT32 /* value of next_device before the first call */

/* Sorts queue entries (QueueSpan) for step_kernels_find. */
void step_kernels_sort(StrobeStateArray *enqueues);
/* Finds the kernels on one device. Returns FALSE if there are none. */
gboolean step_kernels_find(const KernelMap *map, const StrobeStateArray *enqueues, gint64 begin_ns,
                           gint64 end_ns, gint32 device, StepKernels *step);

#endif
