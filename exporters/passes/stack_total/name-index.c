/* SPDX-License-Identifier: Apache-2.0 */
#include "name-index.h"

#define SLOTS_MIN 32u

/* The name stands beside the item, so that a search touches no item. */
typedef struct Slot {
    StrobeStringId name;
    gpointer item; /* NULL: free */
} Slot;

struct NameIndex {
    Slot *slots;
    guint n_slots, n_used; /* a power of two, at most half in use */
};

NameIndex *name_index_new(void)
{
    NameIndex *index = g_new(NameIndex, 1);

    index->n_slots = SLOTS_MIN;
    index->n_used = 0;
    index->slots = g_new0(Slot, index->n_slots);
    return index;
}

void name_index_free(gpointer data)
{
    NameIndex *index = data;

    g_free(index->slots);
    g_free(index);
}

/* The slot of the name, or the free one where it belongs. */
static Slot *slot_of(const NameIndex *index, StrobeStringId name)
{
    guint at = name * 0x9e3779b1u >> 7 & (index->n_slots - 1);

    while (index->slots[at].item && index->slots[at].name != name)
        at = (at + 1) & (index->n_slots - 1);
    return &index->slots[at];
}

gpointer name_index_find(const NameIndex *index, StrobeStringId name)
{
    return slot_of(index, name)->item;
}

static void grow(NameIndex *index)
{
    Slot *old = index->slots;
    guint n = index->n_slots;

    index->n_slots *= 2;
    index->slots = g_new0(Slot, index->n_slots);
    for (guint i = 0; i < n; i++)
        if (old[i].item)
            *slot_of(index, old[i].name) = old[i];
    g_free(old);
}

void name_index_add(NameIndex *index, StrobeStringId name, gpointer item)
{
    if (2 * index->n_used >= index->n_slots)
        grow(index);
    *slot_of(index, name) = (Slot){name, item};
    index->n_used++;
}
