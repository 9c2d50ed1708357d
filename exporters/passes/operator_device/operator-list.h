/* SPDX-License-Identifier: Apache-2.0 */
/* A list for very many operators. It consists of pages that do not move, so it grows without
 * copying. */
#ifndef STROBE_PASSES_OPERATOR_LIST_H
#define STROBE_PASSES_OPERATOR_LIST_H

#include <math.h>
#include <glib.h>
#include <strobe/exporter.h>

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

/* An operator. The struct is small, because operators are the largest part of a pass's data, and
 * the system may swap them to the disk. */
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

#define OPERATOR_PAGE_BITS 12u
#define OPERATOR_PAGE (1u << OPERATOR_PAGE_BITS)

typedef struct OperatorList {
    GPtrArray *pages;
    guint len;
    GArray *sums; /* of DeviceSums */
} OperatorList;

static inline Operator *operator_list_at(const OperatorList *list, guint place)
{
    Operator *page = g_ptr_array_index(list->pages, place >> OPERATOR_PAGE_BITS);

    return &page[place & (OPERATOR_PAGE - 1)];
}

void operator_list_init(OperatorList *list);
void operator_list_clear(OperatorList *list);
void operator_list_add(OperatorList *list, const Operator *op);
/* Returns the operator's sums, created if necessary; valid until the next call. */
DeviceSums *operator_list_sums(OperatorList *list, Operator *op);
/* Returns the operator's sums; sums of 0 if it has no kernels. */
const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op);
/* Sorts the operators by begin, and keeps the order of equal ones. The operators must have been
 * added in the order of their ends. */
void operator_list_sort(OperatorList *list);

#endif
