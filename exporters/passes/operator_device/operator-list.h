/* SPDX-License-Identifier: Apache-2.0 */
/* The operators of a program, and the sums of the operators that launched kernels. */
#ifndef STROBE_PASSES_OPERATOR_LIST_H
#define STROBE_PASSES_OPERATOR_LIST_H

#include <math.h>
#include <glib.h>
#include <strobe/exporter.h>
#include <strobe/helpers/state-array.h>

/* A sum of durations as the Ascend profiler, a Python program, computes it: the sum is an integer
 * if all summands are integers. A sum of 0 is an integer if it is -0.0, and a floating-point number
 * if it is 0.0. */
typedef double DeviceSum;

#define DEVICE_SUM_WHOLE (-0.0)

static inline gboolean device_sum_is_real(DeviceSum sum)
{
    return sum != 0.0 || !signbit(sum);
}

/* The sums of the durations of the kernels that an operator launched. */
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
        gint parent; /* after sorting: index of the parent; -1: none */
    };
    gint step;  /* index in the forest's `steps`; -1: the operator announces no step */
    guint sums; /* 1 + index in `sums`; 0: none */
    StrobeTrackId track;
    StrobeStringId name, shapes, types;
    StrobeStackId stack;
} Operator;

typedef struct OperatorList {
    StrobeStateArray operators; /* elements of type Operator */
    StrobeStateArray sums;      /* elements of type DeviceSums */
} OperatorList;

static inline Operator *operator_list_at(const OperatorList *list, guint place)
{
    return &STROBE_STATE_ITEM(&list->operators, Operator, place);
}

void operator_list_init(OperatorList *list, StrobeStorage *storage);
void operator_list_clear(OperatorList *list);
/* Returns the operator's sums, and makes them at the first call. The result is valid until the next
 * call. */
DeviceSums *operator_list_sums(OperatorList *list, Operator *op);
/* Returns the operator's sums, which are 0 if the operator has no kernels. */
const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op);
/* Sorts the operators by begin; keeps the order of operators with the same begin. */
void operator_list_sort(OperatorList *list);

#endif
