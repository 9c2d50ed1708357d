/* SPDX-License-Identifier: Apache-2.0 */
#include "item-order.h"

#include <stdlib.h>
#include <string.h>
#include "reserved-memory.h"
#include "sort-items.h"

#define STEPS_BACK 64u
#define LATE_MAX 65536u
#define LATE_IN_A_ROW 256u /* then it is no latecomer, but another source's begin */

G_STATIC_ASSERT(STROBE_ITEM_SORT_BYTES == 2 * sizeof(StrobeSortItem));

void strobe_item_order_init(StrobeItemOrder *o, const guint8 *ends)
{
    o->ends = ends;
    o->late = g_array_new(FALSE, FALSE, sizeof(guint32));
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
    o->stretches[0] = (StrobeStretch){.next = 0};
    g_array_set_size(o->late, 0);
}

gsize strobe_item_order_n(const StrobeItemOrder *o)
{
    return (gsize)o->n_items + o->late->len;
}

gboolean strobe_item_order_is_near(const StrobeItemOrder *o)
{
    return o->n_stretches > 0 && o->n_stretches < STROBE_STRETCHES_MAX;
}

static inline StrobeRecordKey key_at(const StrobeItemOrder *o, guint index)
{
    return strobe_record_key(o->ends, o->words + o->items[index]);
}

static gboolean is_before_item(const StrobeItemOrder *o, const StrobeRecordKey *key, guint index)
{
    const StrobeRecordKey other = key_at(o, index);

    return strobe_record_is_before(key, &other);
}

static void begin_stretch(StrobeItemOrder *o, guint at)
{
    o->n_stretches = o->n_stretches < STROBE_STRETCHES_MAX ? o->n_stretches + 1 : 0;
    if (o->n_stretches)
        o->stretches[o->n_stretches - 1].next = at;
}

/* It goes back a little within its stretch; one that is further behind, as an entry of a queue that
 * was given up, is put aside; and where many in a row are, another stretch begins. */
void strobe_item_order_add_back(StrobeItemOrder *o, const StrobeRecordKey *key, guint32 place)
{
    guint end = o->n_items, first = o->stretches[o->n_stretches - 1].next, at = end - 1;
    guint least = MAX(first, end - MIN(end, STEPS_BACK));

    while (at > least && is_before_item(o, key, at - 1))
        at--;
    if (at > least || at == first) {
        memmove(o->items + at + 1, o->items + at, (end - at) * sizeof *o->items);
    } else if (o->late_in_row < LATE_IN_A_ROW && o->late->len < LATE_MAX) {
        o->late_in_row++;
        g_array_append_val(o->late, place);
        return;
    } else {
        at = end;
        begin_stretch(o, at);
        o->last = *key;
    }
    o->late_in_row = 0;
    o->items[at] = place;
    o->n_items++;
    if (o->n_stretches)
        o->stretches[o->n_stretches - 1].until = o->n_items;
}

/* ---- sorting ---- */

static gint compare_places(gconstpointer a, gconstpointer b, gpointer order)
{
    const StrobeItemOrder *o = order;
    const guint32 *x = a, *y = b;
    const StrobeRecordKey p = strobe_record_key(o->ends, o->words + *x),
                          q = strobe_record_key(o->ends, o->words + *y);

    if (strobe_record_is_before(&p, &q))
        return -1;
    return strobe_record_is_before(&q, &p) ? 1 : (*x > *y) - (*x < *y);
}

/* With the keys beside the places, which takes memory, or slower without. */
static void sort_places(StrobeItemOrder *o, guint32 *places, guint n)
{
    gsize bytes = MAX(n, 1) * sizeof(StrobeSortItem);
    StrobeSortItem *items = strobe_memory_reserve(bytes);

    if (!items) {
        qsort_r(places, n, sizeof *places, compare_places, o);
        return;
    }
    for (guint i = 0; i < n; i++) {
        const StrobeRecordKey key = strobe_record_key(o->ends, o->words + places[i]);

        items[i] = (StrobeSortItem){key.end, key.begin, places[i]};
    }
    strobe_sort_items(items, n);
    for (guint i = 0; i < n; i++)
        places[i] = (guint32)items[i].place;
    strobe_memory_release(items, bytes);
}

/* Those that were put aside are one stretch more. */
static void take_late(StrobeItemOrder *o)
{
    guint n = o->late->len;

    if (n == 0)
        return;
    sort_places(o, (guint32 *)(void *)o->late->data, n);
    memcpy(o->items + o->n_items, o->late->data, n * sizeof *o->items);
    if (o->n_stretches)
        o->stretches[o->n_stretches++] =
            (StrobeStretch){.next = o->n_items, .until = o->n_items + n};
    o->n_items += n;
    g_array_set_size(o->late, 0);
}

/* ---- taking out ---- */

static gboolean is_first(const StrobeItemOrder *o, const StrobeStretch *a, const StrobeStretch *b)
{
    if (strobe_record_is_before(&a->head, &b->head))
        return TRUE;
    return !strobe_record_is_before(&b->head, &a->head) && o->items[a->next] < o->items[b->next];
}

static void sink_stretch(StrobeItemOrder *o, guint at)
{
    StrobeStretch moved = o->stretches[at];

    for (;;) {
        guint child = 2 * at + 1;

        if (child >= o->n_stretches)
            break;
        if (child + 1 < o->n_stretches &&
            is_first(o, &o->stretches[child + 1], &o->stretches[child]))
            child++;
        if (is_first(o, &moved, &o->stretches[child]))
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
        sort_places(o, o->items, o->n_items);
        o->n_stretches = 1;
        o->stretches[0] = (StrobeStretch){.until = o->n_items};
    }
    if (o->n_items == 0)
        o->n_stretches = 0;
    for (guint i = 0; i < o->n_stretches; i++)
        o->stretches[i].head = key_at(o, o->stretches[i].next);
    for (guint i = o->n_stretches / 2; i-- > 0;)
        sink_stretch(o, i);
}

/* Is the heap's first stretch still the one with the least item? Items of one come in runs. */
static gboolean is_still_first(const StrobeItemOrder *o)
{
    const StrobeStretch *s = o->stretches;

    return is_first(o, &s[0], &s[1]) && (o->n_stretches == 2 || is_first(o, &s[0], &s[2]));
}

const guint64 *strobe_item_order_next(StrobeItemOrder *o, StrobeRecordKey *key)
{
    StrobeStretch *first = &o->stretches[0];
    const guint64 *record;

    if (o->n_stretches == 0)
        return NULL;
    *key = first->head;
    record = o->words + o->items[first->next++];
    if (first->next == first->until)
        *first = o->stretches[--o->n_stretches];
    else
        first->head = key_at(o, first->next);
    if (o->n_stretches > 1 && !is_still_first(o))
        sink_stretch(o, 0);
    return record;
}
