/* SPDX-License-Identifier: Apache-2.0 */
/* A list of very many operators in pages that do not move, so that growing copies nothing. */
#ifndef STROBE_PASSES_OPERATOR_LIST_H
#define STROBE_PASSES_OPERATOR_LIST_H

#include <math.h>
#include <glib.h>
#include <strobe/exporter.h>

/* Sum of durations as the Ascend profiler, a Python program, computes it: an integer as long as all
 * summands are integers; the sign of zero records this. */
typedef double DeviceSum;

#define DEVICE_SUM_WHOLE (-0.0)

static inline gboolean device_sum_is_real(DeviceSum sum)
{
    return sum != 0.0 || !signbit(sum);
}

/* Sums of an operator with kernels. */
typedef struct DeviceSums {
    DeviceSum self, total, self_aicore, total_aicore;
} DeviceSums;

/* Kept small, because these records are the largest part of a pass's data, and the system may swap
 * them to the disk. */
typedef struct Operator {
    gint64 begin_ns, end_ns;
    gint64 children_ns;
    guint64 thread;
    union {
        guint order; /* order of arrival, until they are sorted */
        gint parent; /* index, -1: none; after sorting */
    };
    gint step;  /* place in steps, -1: no step */
    guint sums; /* index in sums plus 1; 0: none */
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
/* Its sums, created if necessary; valid until the next call. */
DeviceSums *operator_list_sums(OperatorList *list, Operator *op);
/* Its sums; zero sums if there are no kernels. */
const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op);
/* Sorts by begin, keeping the order of equal ones. They arrive in the order of their ends. */
void operator_list_sort(OperatorList *list);

#endif
