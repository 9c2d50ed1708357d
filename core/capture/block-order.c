/* SPDX-License-Identifier: Apache-2.0 */
#include "block-order.h"

#include <string.h>
#include "pool.h"

/* A late block, or the name of one that is looked for. */
struct late {
    guint32 piece, lane;
    guint64 sequence;
    guint32 offset; /* in the lane's block */
    guint64 at;     /* of the header in the file */
};

struct last { /* of a lane, seen so far */
    guint64 sequence;
    guint32 offset;
};

struct StrobeBlockOrder {
    guint piece;
    struct last last[STROBE_POOL_LANES];
    GArray *late; /* of struct late; sorted once finished */
    gboolean is_sorted;
    guint64 n_refused;
    guint next[STROBE_POOL_LANES]; /* second walk: the lane's next late block, of the piece */
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

    if (x->piece != y->piece)
        return x->piece < y->piece ? -1 : 1;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static struct late name_of(const StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    return (struct late){.piece = order->piece,
                         .lane = place->header.lane,
                         .sequence = place->header.sequence,
                         .offset = place->header.offset,
                         .at = place->offset - sizeof place->header};
}

/* Index of the first late block that is not before `name`. */
static guint find(const StrobeBlockOrder *order, const struct late *name)
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

void strobe_block_order_begin(StrobeBlockOrder *order, guint piece)
{
    order->piece = piece;
    memset(order->last, 0, sizeof order->last);
    for (guint32 lane = 0; order->is_sorted && order->late->len && lane < STROBE_POOL_LANES;
         lane++) {
        struct late first = {.piece = piece, .lane = lane};
        order->next[lane] = find(order, &first);
    }
}

void strobe_block_order_note(StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    const struct strobe_block_header *h = &place->header;

    if (h->lane >= STROBE_POOL_LANES)
        return; /* of no lane of ours: as it lies */
    struct last *last = &order->last[h->lane];
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
    guint32 lane = place->header.lane;

    if (order->late->len == 0 || lane >= STROBE_POOL_LANES)
        return FALSE;
    struct late name = name_of(order, place);
    guint next = order->next[lane];
    if (next >= order->late->len)
        return FALSE;
    const struct late *late = &g_array_index(order->late, struct late, next);
    if (late->piece != name.piece || late->lane != lane || late->sequence > name.sequence ||
        (late->sequence == name.sequence && late->offset >= name.offset))
        return FALSE;
    *offset = late->at;
    order->next[lane]++;
    return TRUE;
}

gboolean strobe_block_order_was_taken(const StrobeBlockOrder *order, const StrobeBlockPlace *place)
{
    if (order->late->len == 0 || place->header.lane >= STROBE_POOL_LANES)
        return FALSE;
    struct late name = name_of(order, place);
    guint index = find(order, &name);
    return index < order->late->len &&
           compare_late(&g_array_index(order->late, struct late, index), &name) == 0;
}
