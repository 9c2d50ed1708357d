/* SPDX-License-Identifier: Apache-2.0 */
/* All operators of a process in one tree, whatever their threads, as the original builds it, or
 * (KernelMap.by_thread) in one tree a thread, with the time of the kernels that each launched. */
#ifndef STROBE_PASSES_OPERATOR_FOREST_H
#define STROBE_PASSES_OPERATOR_FOREST_H

#include <math.h>

#include "kernel-map.h"

/* Sum of durations as the original's interpreter makes it: whole as long as only whole numbers went
 * into it, which is said by the zero's sign: of all that is held these are the most. */
typedef double DeviceSum;

#define DEVICE_SUM_WHOLE (-0.0)

static inline gboolean device_sum_is_real(DeviceSum sum)
{
    return sum != 0.0 || !signbit(sum);
}

typedef struct Operator {
    gint64 begin_ns, end_ns;
    gint64 children_ns;
    DeviceSum self, total, self_aicore, total_aicore;
    guint64 thread;
    guint order; /* of arrival */
    gint parent; /* place, -1: none */
    gint step;   /* place in steps, -1: no step */
    StrobeTrackId track;
    StrobeStringId name, shapes, types;
    StrobeStackId stack;
} Operator;

/* The device's side of a step. */
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
    GArray *operators; /* of Operator, by begin once it is built */
    GArray *steps;     /* of ForestStep */
    GArray *links;     /* of ForestLink, as launched */
} Forest;

/* Builds the tree. `enqueues` of QueueSpan; without a queue the launches themselves are the leaves.
 * `step_number` says what step an operator announces, -1: none. `zero_is_whole`: a duration of 0
 * counts as a whole number. */
void forest_build(Forest *forest, const KernelMap *map, GArray *enqueues,
                  gint64 (*step_number)(void *user, const Operator *op), void *user,
                  gboolean zero_is_whole);

#endif
