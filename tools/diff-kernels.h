/* SPDX-License-Identifier: Apache-2.0 */
/* Times of kernels, copies and fills, or of communication operations, by block of steps and by the
 * operators that launched them. */
#ifndef STROBE_TOOLS_DIFF_KERNELS_H
#define STROBE_TOOLS_DIFF_KERNELS_H

#include <strobe/exporter.h>

#include "diff-rows.h"
#include "diff-tree.h"

typedef struct StrobeDiffKernels StrobeDiffKernels;

/* `by_name`: without the operators around the launch. */
StrobeDiffKernels *strobe_diff_kernels_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                           const StrobeDiffSteps *steps, gboolean by_name,
                                           gboolean is_communication);
void strobe_diff_kernels_free(StrobeDiffKernels *kernels); /* NULL is fine */

/* The kinds of its input records, NULL-terminated. */
const char *const *strobe_diff_kernels_wants(gboolean by_name);
void strobe_diff_kernels_add(StrobeDiffKernels *kernels, const StrobeView *record);

/* Number of kernels, and of kernels with a known operator. */
typedef struct StrobeDiffKernelCounts {
    guint64 n_values, n_linked;
} StrobeDiffKernelCounts;

/* No more records follow: adds all times to the rows of one side. */
void strobe_diff_kernels_finish(StrobeDiffKernels *kernels, StrobeDiffRows *rows, guint side,
                                StrobeDiffRest *rest, StrobeDiffKernelCounts *counts);

#endif
