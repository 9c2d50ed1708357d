/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a program, and the sums of those that launched kernels. */
#ifndef STROBE_PASSES_OPERATOR_LIST_H
#define STROBE_PASSES_OPERATOR_LIST_H

#include <math.h>
#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/state-array.h>

/* A sum of durations as the Ascend profiler, a Python program, computes it: the sum is an integer
 * if all summands are integers. As long as the sum is 0, -0.0 means an integer, and 0.0 a
 * floating-point number. */
typedef double DeviceSum;

#define DEVICE_SUM_WHOLE (-0.0)

static inline gboolean device_sum_is_real(DeviceSum sum)
{
    return sum != 0.0 || !signbit(sum);
}

/* The sums of an operator that launched kernels. */
typedef struct DeviceSums {
    DeviceSum self, total, self_aicore, total_aicore;
} DeviceSums;

/* An operator. The struct is small, because operators are the largest part of a pass's data. */
typedef struct Operator {
    gint64 begin_ns, end_ns;
    gint64 children_ns;
    guint64 thread;
    union {
        guint order; /* before sorting: order of arrival */
        gint parent; /* after sorting: index of the parent, -1: none */
    };
    gint step;  /* index in `steps` of the forest, -1: the operator announces no step */
    guint sums; /* 1 + index in `sums`; 0: none */
    StrobeTrackId track;
    StrobeStringId name, shapes, types;
    StrobeStackId stack;
} Operator;

typedef struct OperatorList {
    StrobeStateArray operators; /* of Operator */
    StrobeStateArray sums;      /* of DeviceSums */
} OperatorList;

static inline Operator *operator_list_at(const OperatorList *list, guint place)
{
    return &STROBE_STATE_ITEM(&list->operators, Operator, place);
}

void operator_list_init(OperatorList *list, StrobeStorage *storage);
void operator_list_clear(OperatorList *list);
/* Returns the operator's sums, created if necessary; valid until the next call. */
DeviceSums *operator_list_sums(OperatorList *list, Operator *op);
/* Returns the operator's sums; sums of 0 if it has no kernels. */
const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op);
/* Sorts the operators by begin, and keeps the order of equal ones. */
void operator_list_sort(OperatorList *list);

#endif
