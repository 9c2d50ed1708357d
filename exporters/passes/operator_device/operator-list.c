/* SPDX-License-Identifier: Apache-2.0 */
#include "operator-list.h"

#define MOVES_PER_OPERATOR 16u

static const DeviceSums no_sums = {DEVICE_SUM_WHOLE, DEVICE_SUM_WHOLE, DEVICE_SUM_WHOLE,
                                   DEVICE_SUM_WHOLE};

void operator_list_init(OperatorList *list)
{
    list->pages = g_ptr_array_new_with_free_func(g_free);
    list->len = 0;
    list->sums = g_array_new(FALSE, FALSE, sizeof(DeviceSums));
}

void operator_list_clear(OperatorList *list)
{
    g_clear_pointer(&list->sums, g_array_unref);
    g_clear_pointer(&list->pages, g_ptr_array_unref);
    list->len = 0;
}

void operator_list_add(OperatorList *list, const Operator *op)
{
    if (list->len % OPERATOR_PAGE == 0)
        g_ptr_array_add(list->pages, g_new(Operator, OPERATOR_PAGE));
    *operator_list_at(list, list->len++) = *op;
}

DeviceSums *operator_list_sums(OperatorList *list, Operator *op)
{
    if (!op->sums) {
        g_array_append_val(list->sums, no_sums);
        op->sums = list->sums->len;
    }
    return &g_array_index(list->sums, DeviceSums, op->sums - 1);
}

const DeviceSums *operator_list_known_sums(const OperatorList *list, const Operator *op)
{
    return op->sums ? &g_array_index(list->sums, DeviceSums, op->sums - 1) : &no_sums;
}

static gint compare_operators(gconstpointer a, gconstpointer b)
{
    const Operator *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sort_whole(OperatorList *list)
{
    g_autoptr(GArray) all = g_array_sized_new(FALSE, FALSE, sizeof(Operator), list->len);

    for (guint i = 0; i < list->len; i++)
        g_array_append_vals(all, operator_list_at(list, i), 1);
    g_array_sort(all, compare_operators);
    for (guint i = 0; i < list->len; i++)
        *operator_list_at(list, i) = g_array_index(all, Operator, i);
}

/* Sorts by insertion, because most operators are nearly in place; only operators that enclose many
 * others are far away. If that needs too many moves, sort_whole sorts the list. */
void operator_list_sort(OperatorList *list)
{
    guint64 left = (guint64)list->len * MOVES_PER_OPERATOR;

    for (guint i = 1; i < list->len; i++) {
        Operator moved;
        guint to = i;

        if (compare_operators(operator_list_at(list, i - 1), operator_list_at(list, i)) <= 0)
            continue;
        moved = *operator_list_at(list, i);
        for (; to > 0 && left > 0; to--, left--) {
            const Operator *before = operator_list_at(list, to - 1);

            if (compare_operators(before, &moved) <= 0)
                break;
            *operator_list_at(list, to) = *before;
        }
        *operator_list_at(list, to) = moved;
        if (left == 0) {
            sort_whole(list);
            return;
        }
    }
}
