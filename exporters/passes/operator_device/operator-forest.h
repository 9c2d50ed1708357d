/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the tree of a process's operators, with the time of the kernels that each operator
 * launched. As in the Ascend profiler, all threads share one tree or, with KernelMap.by_thread,
 * each thread has its own tree. */
#ifndef STROBE_PASSES_OPERATOR_FOREST_H
#define STROBE_PASSES_OPERATOR_FOREST_H

#include "kernel-map.h"
#include "operator-list.h"

/* A step that an operator announces, with its kernels. */
typedef struct ForestStep {
    gint64 number;
    guint place;                 /* index of the operator */
    guint64 first_key, last_key; /* first and last key with kernels */
    gboolean has_keys, has_kernels;
    /* from the first kernel of the first key to the last kernel of the last key */
    gint64 begin_ns, end_ns;
    gint32 device;
} ForestStep;

typedef struct ForestLink {
    guint place; /* index of the operator */
    guint kernel;
} ForestLink;

typedef struct Forest {
    OperatorList operators; /* after forest_build: sorted by begin */
    GArray *steps;          /* elements of type ForestStep */
    StrobeStateArray links; /* elements of type ForestLink, in the order of launches */
} Forest;

/* Builds the tree. The leaves are `enqueues` (of QueueSpan) or, if there is no queue, the launches.
 * `step_number` returns the number of the step that an operator announces; -1: none.
 * `zero_is_whole`: a duration of 0 counts as an integer. */
void forest_build(Forest *forest, const KernelMap *map, StrobeStateArray *enqueues,
                  gint64 (*step_number)(void *user, const Operator *op), void *user,
                  gboolean zero_is_whole);

#endif
