/* SPDX-License-Identifier: Apache-2.0 */
/* Puts items in order that come nearly so: stretches that are sorted as they come, and merged when
 * they are taken out. */
#ifndef STROBE_CORE_ITEM_ORDER_H
#define STROBE_CORE_ITEM_ORDER_H

#include "sort-items.h"

#define STROBE_STRETCHES_MAX 64u

typedef struct StrobeStretch {
    guint next, until; /* among the items */
} StrobeStretch;

typedef struct StrobeItemOrder {
    StrobeSortItem *items; /* room of the owner's, for all that are added */
    guint n_items;
    StrobeStretch stretches[STROBE_STRETCHES_MAX + 1]; /* taken out, a heap: the least first */
    guint n_stretches; /* 0: more than that, the items are unsorted */
    GArray *late;      /* of StrobeSortItem: few, far behind their place */
    guint late_in_row; /* that came last */
} StrobeItemOrder;

/* All but `items`. */
void strobe_item_order_init(StrobeItemOrder *order);
void strobe_item_order_clear(StrobeItemOrder *order);

void strobe_item_order_add(StrobeItemOrder *order, const StrobeSortItem *item);
/* How many were added. */
gsize strobe_item_order_n(const StrobeItemOrder *order);
/* FALSE: they have to be sorted as a whole. */
gboolean strobe_item_order_is_near(const StrobeItemOrder *order);

/* Nothing is added any more; then the items in order, NULL behind the last. */
void strobe_item_order_begin(StrobeItemOrder *order);
const StrobeSortItem *strobe_item_order_next(StrobeItemOrder *order);
/* As if nothing had been added. */
void strobe_item_order_forget(StrobeItemOrder *order);

#endif
