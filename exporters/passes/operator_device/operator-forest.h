/* SPDX-License-Identifier: Apache-2.0 */
/* All operators of a process in one tree over all threads, as in the Ascend profiler, or
 * (KernelMap.by_thread) in one tree for each thread, with the time of the kernels that each
 * launched. */
#ifndef STROBE_PASSES_OPERATOR_FOREST_H
#define STROBE_PASSES_OPERATOR_FOREST_H

#include "kernel-map.h"
#include "operator-list.h"

/* The device part of a step. */
typedef struct ForestStep {
    gint64 number;
    guint place;                 /* of the operator */
    guint64 first_key, last_key; /* with kernels */
    gboolean has_keys, has_kernels;
    gint64 begin_ns, end_ns; /* of the kernels of the first key, and of the last */
    gint32 device;
} ForestStep;

typedef struct ForestLink {
    guint place; /* of the operator */
    guint kernel;
} ForestLink;

typedef struct Forest {
    OperatorList operators; /* by begin once it is built */
    GArray *steps;          /* of ForestStep */
    GArray *links;          /* of ForestLink, in order of launch */
} Forest;

/* Builds the tree. `enqueues` of QueueSpan; without a queue the launches themselves are the
 * leaves. `step_number` returns the step that an operator announces, -1: none. `zero_is_whole`:
 * a duration of 0 counts as an integer. */
void forest_build(Forest *forest, const KernelMap *map, GArray *enqueues,
                  gint64 (*step_number)(void *user, const Operator *op), void *user,
                  gboolean zero_is_whole);

#endif
