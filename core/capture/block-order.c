/* SPDX-License-Identifier: Apache-2.0 */
#include "block-order.h"

#include <string.h>
#include "pool.h"

/* A late block, or the key of a search for one. */
struct late {
    guint32 segment, thread_buffer;
    guint64 sequence;
    guint32 offset; /* position in the thread buffer's block */
    guint64 at;     /* offset of the header in the file */
};

struct last { /* the last block of a thread buffer so far */
    guint64 sequence;
    guint32 offset;
};

struct StrobeBlockOrder {
    guint segment;
    struct last last[STROBE_POOL_THREAD_BUFFERS];
    GArray *late; /* of struct late; sorted by strobe_block_order_finish */
    gboolean is_sorted;
    guint64 n_refused;
    guint next[STROBE_POOL_THREAD_BUFFERS]; /* in the second walk: index of the thread buffer's next
                                               late block in the segment */
};

StrobeBlockOrder *strobe_block_order_new(void)
{
    StrobeBlockOrder *order = g_new0(StrobeBlockOrder, 1);

    order->late = g_array_new(FALSE, FALSE, sizeof(struct late));
    return order;
}

void strobe_block_order_free(StrobeBlockOrder *order)
{
    if (!order)
        return;
    g_array_unref(order->late);
    g_free(order);
}

static int compare_late(gconstpointer a, gconstpointer b)
{
    const struct late *x = a, *y = b;

    if (x->segment != y->segment)
        return x->segment < y->segment ? -1 : 1;
    if (x->thread_buffer != y->thread_buffer)
        return x->thread_buffer < y->thread_buffer ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct late name_of(const StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    return (struct late){.segment = order->segment,
                         .thread_buffer = place->header.thread_buffer,
                         .sequence = place->header.sequence,
                         .offset = place->header.offset,
                         .at = place->offset - sizeof place->header};
}

/* Returns the index of the first late block that is not before `name`. */
static guint find_late_block(const StrobeBlockOrder *order, const struct late *name)
{
    guint low = 0, high = order->late->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (compare_late(&g_array_index(order->late, struct late, middle), name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void strobe_block_order_begin(StrobeBlockOrder *order, guint segment)
{
    order->segment = segment;
    memset(order->last, 0, sizeof order->last);
    for (guint32 thread_buffer = 0;
         order->is_sorted && order->late->len && thread_buffer < STROBE_POOL_THREAD_BUFFERS;
         thread_buffer++) {
        struct late first = {.segment = segment, .thread_buffer = thread_buffer};
        order->next[thread_buffer] = find_late_block(order, &first);
    }
}

void strobe_block_order_note(StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    const struct strobe_block_header *h = &place->header;

    if (h->thread_buffer >= STROBE_POOL_THREAD_BUFFERS)
        return; /* a block that is not from a known thread buffer keeps its position */
    struct last *last = &order->last[h->thread_buffer];
    if (h->sequence > last->sequence ||
        (h->sequence == last->sequence && h->offset >= last->offset)) {
        *last = (struct last){h->sequence, h->offset};
    } else if (order->late->len < STROBE_LATE_BLOCKS_MAX) {
        struct late late = name_of(order, place);
        g_array_append_val(order->late, late);
    } else {
        order->n_refused++;
    }
}

guint64 strobe_block_order_finish(StrobeBlockOrder *order)
{
    g_array_sort(order->late, compare_late);
    order->is_sorted = TRUE;
    return order->n_refused;
}

gboolean strobe_block_order_take(StrobeBlockOrder *order, const StrobeBlockPlace *place,
                                 guint64 *offset)
{
    guint32 thread_buffer = place->header.thread_buffer;

    if (order->late->len == 0 || thread_buffer >= STROBE_POOL_THREAD_BUFFERS)
        return FALSE;
    struct late name = name_of(order, place);
    guint next = order->next[thread_buffer];
    if (next >= order->late->len)
        return FALSE;
    const struct late *late = &g_array_index(order->late, struct late, next);
    if (late->segment != name.segment || late->thread_buffer != thread_buffer ||
        late->sequence > name.sequence ||
        (late->sequence == name.sequence && late->offset >= name.offset))
        return FALSE;
    *offset = late->at;
    order->next[thread_buffer]++;
    return TRUE;
}

gboolean strobe_block_order_was_taken(const StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    if (order->late->len == 0 || place->header.thread_buffer >= STROBE_POOL_THREAD_BUFFERS)
        return FALSE;
    struct late name = name_of(order, place);
    guint index = find_late_block(order, &name);
    return index < order->late->len &&
           compare_late(&g_array_index(order->late, struct late, index), &name) == 0;
}
