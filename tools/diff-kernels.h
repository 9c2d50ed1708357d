/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up the times of kernels, copies and fills, or of communication operations, by block of steps
 * and by the operators that launched them. */
#ifndef STROBE_TOOLS_DIFF_KERNELS_H
#define STROBE_TOOLS_DIFF_KERNELS_H

#include <strobe/exporter.h>

#include "diff-rows.h"
#include "diff-tree.h"

typedef struct StrobeDiffKernels StrobeDiffKernels;

/* `by_name`: adds up kernels by their names only, without the operators that launched them. */
StrobeDiffKernels *strobe_diff_kernels_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                           const StrobeDiffSteps *steps, gboolean by_name,
                                           gboolean is_communication);
void strobe_diff_kernels_free(StrobeDiffKernels *kernels); /* NULL is fine */

/* Returns the names of the kinds whose records strobe_diff_kernels_add needs, NULL-terminated. */
const char *const *strobe_diff_kernels_wants(gboolean by_name);
void strobe_diff_kernels_add(StrobeDiffKernels *kernels, const StrobeView *record);

/* Number of kernels, and number of kernels whose operator is known. */
typedef struct StrobeDiffKernelCounts {
    guint64 n_values, n_linked;
} StrobeDiffKernelCounts;

/* Call this after the last record: adds all times to the rows of one side. */
void strobe_diff_kernels_finish(StrobeDiffKernels *kernels, StrobeDiffRows *rows, guint side,
                                StrobeDiffRest *rest, StrobeDiffKernelCounts *counts);

#endif
