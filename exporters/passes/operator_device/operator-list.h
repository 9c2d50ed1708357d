/* SPDX-License-Identifier: Apache-2.0 */
/* Very many operators: they lie in pages that stay where they are, so that growing copies nothing.
 */
#ifndef STROBE_PASSES_OPERATOR_LIST_H
#define STROBE_PASSES_OPERATOR_LIST_H

#include <math.h>
#include <glib.h>
#include <strobe/exporter.h>

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

#define OPERATOR_PAGE_BITS 12u
#define OPERATOR_PAGE (1u << OPERATOR_PAGE_BITS)

typedef struct OperatorList {
    GPtrArray *pages;
    guint len;
} OperatorList;

static inline Operator *operator_list_at(const OperatorList *list, guint place)
{
    Operator *page = g_ptr_array_index(list->pages, place >> OPERATOR_PAGE_BITS);

    return &page[place & (OPERATOR_PAGE - 1)];
}

void operator_list_init(OperatorList *list);
void operator_list_clear(OperatorList *list);
void operator_list_add(OperatorList *list, const Operator *op);
/* By begin, those of one begin as they came. They come by end. */
void operator_list_sort(OperatorList *list);

#endif
