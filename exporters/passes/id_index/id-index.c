/* SPDX-License-Identifier: Apache-2.0 */
#include "id-index.h"

#include <strobe/helpers/keyed-hash.h>

#define NEAR_BITS 3u /* 8 successive ids have the same hash, so that their slots are neighbours */

typedef struct Slot {
    guint64 id;
    gpointer item; /* NULL: the slot is free */
} Slot;

struct IdIndex {
    Slot *slots;
    guint n_slots, n_used; /* n_slots is a power of two; at most half of the slots are used */
};

IdIndex *id_index_new(guint room)
{
    IdIndex *index = g_new0(IdIndex, 1);

    for (index->n_slots = 2u << NEAR_BITS; index->n_slots < 2 * room;)
        index->n_slots *= 2;
    index->slots = g_new0(Slot, index->n_slots);
    return index;
}

void id_index_free(gpointer data)
{
    IdIndex *index = data;

    if (!index)
        return;
    g_free(index->slots);
    g_free(index);
}

/* Returns the slot of the id; if it has none, the free slot in which the id belongs. */
static Slot *slot_of(const IdIndex *index, guint64 id)
{
    guint64 hash = strobe_hash_number(strobe_hash_key(), id >> NEAR_BITS);
    guint mask = index->n_slots - 1;
    guint at = (guint)(hash >> 40 << NEAR_BITS | (id & ((1u << NEAR_BITS) - 1))) & mask;

    while (index->slots[at].item && index->slots[at].id != id)
        at = (at + 1) & mask;
    return &index->slots[at];
}

gpointer id_index_find(const IdIndex *index, guint64 id)
{
    return slot_of(index, id)->item;
}

static void grow_slots(IdIndex *index)
{
    Slot *old = index->slots;
    guint n = index->n_slots;

    index->n_slots *= 2;
    index->slots = g_new0(Slot, index->n_slots);
    for (guint i = 0; i < n; i++)
        if (old[i].item)
            *slot_of(index, old[i].id) = old[i];
    g_free(old);
}

gpointer id_index_add(IdIndex *index, guint64 id, gpointer item)
{
    Slot *slot = slot_of(index, id);

    if (slot->item)
        return slot->item;
    if (2 * ++index->n_used > index->n_slots) {
        grow_slots(index);
        slot = slot_of(index, id);
    }
    *slot = (Slot){id, item};
    return item;
}
