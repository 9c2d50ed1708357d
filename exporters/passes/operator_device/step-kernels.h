/* SPDX-License-Identifier: Apache-2.0 */
/* What was launched between two moments of the host, on any thread: by queue entries made then or,
 * without a queue, by calls. */
#ifndef STROBE_PASSES_STEP_KERNELS_H
#define STROBE_PASSES_STEP_KERNELS_H

#include "kernel-map.h"

typedef struct StepKernels {
    gint64 begin_ns, end_ns;    /* of the first entry's first kernel, and the last one's last */
    gint32 device, next_device; /* the next one that has kernels of the step; G_MAXINT32: none */
} StepKernels;

#define STEP_NO_DEVICE G_MININT32 /* before the first */

/* Puts queue entries (a GArray of QueueSpan) in the order that step_kernels_find needs. */
void step_kernels_sort(GArray *enqueues);
/* What ran on one device. FALSE: nothing did. */
gboolean step_kernels_find(const KernelMap *map, const GArray *enqueues, gint64 begin_ns,
                           gint64 end_ns, gint32 device, StepKernels *step);

#endif
