/* SPDX-License-Identifier: Apache-2.0 */
#include "id-rows.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define PAGE_BITS 10u
#define PAGE (1u << PAGE_BITS) /* number of rows in a page */
#define NEAR_BITS 2u
#define NEAR (1u << NEAR_BITS) /* number of successive ids that share a slot */
#define SLOTS_BITS 6u          /* the table begins with 1 << SLOTS_BITS slots */

/* The places of the rows of NEAR successive ids, which differ only in their lowest bits. */
typedef struct Slot {
    guint64 near;         /* 1 + the common bits of the ids; 0: the slot is free */
    guint32 places[NEAR]; /* 1 + index of the row; 0: no row */
} Slot;

struct IdRows {
    StrobeHashKey key;
    gsize size;
    GPtrArray *pages;
    guint first, end; /* indexes of the rows that are not dropped: from `first` to before `end` */
    Slot *slots;
    guint bits, n_used; /* there are 1 << bits slots; at most half of them are used */
};

static void make_slots(IdRows *rows, guint bits)
{
    rows->bits = bits;
    rows->slots = g_new0(Slot, (gsize)1 << bits);
}

IdRows *id_rows_new(gsize row_size)
{
    IdRows *rows = g_new0(IdRows, 1);

    rows->key = *strobe_hash_key();
    rows->size = row_size;
    rows->pages = g_ptr_array_new_with_free_func(g_free);
    make_slots(rows, SLOTS_BITS);
    return rows;
}

void id_rows_free(IdRows *rows)
{
    if (!rows)
        return;
    g_ptr_array_unref(rows->pages);
    g_free(rows->slots);
    g_free(rows);
}

/* ---- rows ---- */

static inline char *row_at(const IdRows *rows, guint at)
{
    return (char *)rows->pages->pdata[at >> PAGE_BITS] + (at & (PAGE - 1)) * rows->size;
}

guint id_rows_count(const IdRows *rows)
{
    return rows->end - rows->first;
}

gpointer id_rows_at(const IdRows *rows, guint place)
{
    return row_at(rows, rows->first + place);
}

/* ---- index ---- */

/* Returns the index of the slot at which the search for `near` begins. */
static inline guint place_of(const IdRows *rows, guint64 near)
{
    return (guint)(strobe_hash_number(&rows->key, near) >> (64 - rows->bits));
}

/* Returns the slot of the id; if it has none, the free slot in which the id belongs. */
static Slot *slot_of(const IdRows *rows, guint64 id)
{
    const guint64 near = (id >> NEAR_BITS) + 1;
    const guint mask = (1u << rows->bits) - 1;
    guint at = place_of(rows, near);

    while (rows->slots[at].near && rows->slots[at].near != near)
        at = (at + 1) & mask;
    return &rows->slots[at];
}

static void grow_slots(IdRows *rows)
{
    Slot *old = rows->slots;
    const gsize n = (gsize)1 << rows->bits;

    make_slots(rows, rows->bits + 1);
    for (gsize i = 0; i < n; i++)
        if (old[i].near)
            *slot_of(rows, (old[i].near - 1) << NEAR_BITS) = old[i];
    g_free(old);
}

static void put_place(IdRows *rows, guint64 id, guint at)
{
    Slot *slot = slot_of(rows, id);

    if (!slot->near && 2 * ++rows->n_used > 1u << rows->bits) {
        grow_slots(rows);
        slot = slot_of(rows, id);
    }
    slot->near = (id >> NEAR_BITS) + 1;
    slot->places[id & (NEAR - 1)] = at + 1;
}

gpointer id_rows_find(const IdRows *rows, guint64 id)
{
    const guint32 place = slot_of(rows, id)->places[id & (NEAR - 1)];

    return place ? row_at(rows, place - 1) : NULL;
}

gpointer id_rows_add(IdRows *rows, guint64 id)
{
    const guint at = rows->end++;
    char *row;

    if (at >> PAGE_BITS == rows->pages->len)
        g_ptr_array_add(rows->pages, g_malloc(PAGE * rows->size));
    row = row_at(rows, at);
    memset(row, 0, rows->size);
    memcpy(row, &id, sizeof id);
    put_place(rows, id, at);
    return row;
}

void id_rows_forget(IdRows *rows, guint n)
{
    guint n_pages;

    rows->first += MIN(n, id_rows_count(rows));
    n_pages = MIN(rows->first >> PAGE_BITS, rows->pages->len);
    if (n_pages)
        g_ptr_array_remove_range(rows->pages, 0, n_pages);
    rows->first -= n_pages << PAGE_BITS;
    rows->end -= n_pages << PAGE_BITS;
    memset(rows->slots, 0, sizeof *rows->slots << rows->bits);
    rows->n_used = 0;
    for (guint at = rows->first; at < rows->end; at++) {
        guint64 id;

        memcpy(&id, row_at(rows, at), sizeof id);
        put_place(rows, id, at);
    }
}

guint64 id_rows_steps(const IdRows *rows)
{
    const guint mask = (1u << rows->bits) - 1;
    guint64 n = 0;

    for (guint at = 0; at <= mask; at++)
        if (rows->slots[at].near)
            n += (at - place_of(rows, rows->slots[at].near)) & mask;
    return n;
}
