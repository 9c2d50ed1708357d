/* SPDX-License-Identifier: Apache-2.0 */
/* Puts records in order that come nearly so: stretches that are sorted as they come, and merged
 * when they are taken out. Records stay where they are, and say their keys themselves. */
#ifndef STROBE_CORE_ITEM_ORDER_H
#define STROBE_CORE_ITEM_ORDER_H

#include "record-key.h"

#define STROBE_STRETCHES_MAX 64u
#define STROBE_ITEM_PLACES ((guint64)1 << 32) /* words that places can name */

typedef struct StrobeStretch {
    guint next, until;    /* among the items */
    StrobeRecordKey head; /* of the next one, while they are taken out */
} StrobeStretch;

typedef struct StrobeItemOrder {
    const guint64 *words; /* the owner's, as is `items`: room for all that are added */
    guint32 *items;       /* where records begin among the words */
    const guint8 *ends;   /* of kinds, lent */
    guint n_items;
    StrobeStretch stretches[STROBE_STRETCHES_MAX + 1]; /* taken out, a heap: the least first */
    guint n_stretches;    /* 0: more than that, the items are unsorted */
    StrobeRecordKey last; /* of the last item of the last stretch */
    GArray *late;         /* of guint32, as items: few, far behind their place */
    guint late_in_row;    /* that came last */
} StrobeItemOrder;

/* All but `words` and `items`. */
void strobe_item_order_init(StrobeItemOrder *order, const guint8 *ends);
void strobe_item_order_clear(StrobeItemOrder *order);

/* For strobe_item_order_add: of an item that is before the last one. */
void strobe_item_order_add_back(StrobeItemOrder *order, const StrobeRecordKey *key, guint32 place);

/* The record at `place`, behind all others; it is filled in before the next call. Sources are
 * nearly sorted: threads overtake each other by a little, and one file follows another. */
static inline void strobe_item_order_add(StrobeItemOrder *o, const StrobeRecordKey *key,
                                         guint32 place)
{
    StrobeStretch *last = o->n_stretches ? &o->stretches[o->n_stretches - 1] : NULL;

    if (last && strobe_record_is_before(key, &o->last) && o->n_items > last->next) {
        strobe_item_order_add_back(o, key, place);
        return;
    }
    o->late_in_row = 0;
    o->items[o->n_items++] = place;
    o->last = *key;
    if (last)
        last->until = o->n_items;
}
/* How many were added. */
gsize strobe_item_order_n(const StrobeItemOrder *order);
/* FALSE: with the next stretch they have to be sorted as a whole, which takes
 * STROBE_ITEM_SORT_BYTES each. */
gboolean strobe_item_order_is_near(const StrobeItemOrder *order);
#define STROBE_ITEM_SORT_BYTES 48u

/* Nothing is added any more; then the records in order, NULL behind the last. */
void strobe_item_order_begin(StrobeItemOrder *order);
const guint64 *strobe_item_order_next(StrobeItemOrder *order, StrobeRecordKey *key);
/* As if nothing had been added. */
void strobe_item_order_forget(StrobeItemOrder *order);

#endif
