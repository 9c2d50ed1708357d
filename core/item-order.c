/* SPDX-License-Identifier: Apache-2.0 */
#include "item-order.h"

#include <string.h>

#define STEPS_BACK 64u
#define LATE_MAX 65536u
#define LATE_IN_A_ROW 256u /* then it is no latecomer, but another source's begin */

void strobe_item_order_init(StrobeItemOrder *o)
{
    o->late = g_array_new(FALSE, FALSE, sizeof(StrobeSortItem));
    strobe_item_order_forget(o);
}

void strobe_item_order_clear(StrobeItemOrder *o)
{
    g_array_unref(o->late);
}

void strobe_item_order_forget(StrobeItemOrder *o)
{
    o->n_items = o->late_in_row = 0;
    o->n_stretches = 1;
    o->stretches[0] = (StrobeStretch){0, 0};
    g_array_set_size(o->late, 0);
}

gsize strobe_item_order_n(const StrobeItemOrder *o)
{
    return (gsize)o->n_items + o->late->len;
}

gboolean strobe_item_order_is_near(const StrobeItemOrder *o)
{
    return o->n_stretches > 0;
}

static void begin_stretch(StrobeItemOrder *o, guint at)
{
    o->n_stretches = o->n_stretches < STROBE_STRETCHES_MAX ? o->n_stretches + 1 : 0;
    if (o->n_stretches)
        o->stretches[o->n_stretches - 1].next = at;
}

/* Sources are nearly sorted: threads overtake each other by a little, and one file follows another.
 * An item goes back a little within its stretch; one that is further behind, as an entry of a queue
 * that was given up, is put aside; and where many in a row are, another stretch begins. */
void strobe_item_order_add(StrobeItemOrder *o, const StrobeSortItem *item)
{
    const StrobeStretch *last = o->n_stretches ? &o->stretches[o->n_stretches - 1] : NULL;
    guint end = o->n_items, at = end;

    if (last && end > last->next && strobe_sort_item_before(item, &o->items[end - 1])) {
        guint least = MAX(last->next, end - MIN(end, STEPS_BACK));

        while (at > least && strobe_sort_item_before(item, &o->items[at - 1]))
            at--;
        if (at > least || at == last->next) {
            memmove(o->items + at + 1, o->items + at, (end - at) * sizeof *item);
        } else if (o->late_in_row < LATE_IN_A_ROW && o->late->len < LATE_MAX) {
            o->late_in_row++;
            g_array_append_val(o->late, *item);
            return;
        } else {
            at = end;
            begin_stretch(o, at);
        }
    }
    o->late_in_row = 0;
    o->items[at] = *item;
    o->n_items++;
    if (o->n_stretches)
        o->stretches[o->n_stretches - 1].until = o->n_items;
}

/* Those that were put aside are one stretch more. */
static void take_late(StrobeItemOrder *o)
{
    guint n = o->late->len;

    if (n == 0)
        return;
    strobe_sort_items((StrobeSortItem *)(void *)o->late->data, n);
    memcpy(o->items + o->n_items, o->late->data, n * sizeof *o->items);
    if (o->n_stretches)
        o->stretches[o->n_stretches++] = (StrobeStretch){o->n_items, o->n_items + n};
    o->n_items += n;
    g_array_set_size(o->late, 0);
}

static void sink_stretch(StrobeItemOrder *o, guint at)
{
    StrobeStretch moved = o->stretches[at];

    for (;;) {
        guint child = 2 * at + 1;

        if (child >= o->n_stretches)
            break;
        if (child + 1 < o->n_stretches &&
            strobe_sort_item_before(&o->items[o->stretches[child + 1].next],
                                    &o->items[o->stretches[child].next]))
            child++;
        if (strobe_sort_item_before(&o->items[moved.next], &o->items[o->stretches[child].next]))
            break;
        o->stretches[at] = o->stretches[child];
        at = child;
    }
    o->stretches[at] = moved;
}

void strobe_item_order_begin(StrobeItemOrder *o)
{
    take_late(o);
    if (o->n_stretches == 0) {
        strobe_sort_items(o->items, o->n_items);
        o->n_stretches = 1;
        o->stretches[0] = (StrobeStretch){0, o->n_items};
    }
    if (o->n_items == 0)
        o->n_stretches = 0;
    for (guint i = o->n_stretches / 2; i-- > 0;)
        sink_stretch(o, i);
}

/* Is the heap's first stretch still the one with the least item? Items of one come in runs. */
static gboolean is_first(const StrobeItemOrder *o)
{
    const StrobeSortItem *first = &o->items[o->stretches[0].next];

    return strobe_sort_item_before(first, &o->items[o->stretches[1].next]) &&
           (o->n_stretches == 2 || strobe_sort_item_before(first, &o->items[o->stretches[2].next]));
}

const StrobeSortItem *strobe_item_order_next(StrobeItemOrder *o)
{
    const StrobeSortItem *item;

    if (o->n_stretches == 0)
        return NULL;
    item = &o->items[o->stretches[0].next++];
    if (o->stretches[0].next == o->stretches[0].until)
        o->stretches[0] = o->stretches[--o->n_stretches];
    if (o->n_stretches > 1 && !is_first(o))
        sink_stretch(o, 0);
    return item;
}
