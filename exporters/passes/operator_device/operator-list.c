/* SPDX-License-Identifier: Apache-2.0 */
#include "operator-list.h"

static const DeviceSums no_sums = {DEVICE_SUM_WHOLE, DEVICE_SUM_WHOLE, DEVICE_SUM_WHOLE,
                                   DEVICE_SUM_WHOLE};

void operator_list_init(OperatorList *list, StrobeStorage *storage)
{
    strobe_state_array_init(&list->operators, storage, sizeof(Operator));
    strobe_state_array_init(&list->sums, storage, sizeof(DeviceSums));
}

void operator_list_clear(OperatorList *list)
{
    strobe_state_array_clear(&list->operators);
    strobe_state_array_clear(&list->sums);
}

DeviceSums *operator_list_sums(OperatorList *list, Operator *op)
{
    if (!op->sums) {
        strobe_state_array_add(&list->sums, &no_sums);
        op->sums = (guint)list->sums.n;
    }
    return &STROBE_STATE_ITEM(&list->sums, DeviceSums, op->sums - 1);
}

const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op)
{
    return op->sums ? &STROBE_STATE_ITEM(&list->sums, DeviceSums, op->sums - 1) : &no_sums;
}

static int compare_operators(const void *a, const void *b)
{
    const Operator *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void operator_list_sort(OperatorList *list)
{
    strobe_state_array_sort(&list->operators, compare_operators);
}
