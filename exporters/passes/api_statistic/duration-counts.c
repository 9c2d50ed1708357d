/* SPDX-License-Identifier: Apache-2.0 */
#include "duration-counts.h"

#include <stdlib.h>
#include <strobe/helpers/keyed-hash.h>

#define FIRST_SLOTS 16u

void duration_counts_clear(DurationCounts *counts)
{
    g_free(counts->slots);
    *counts = (DurationCounts){0};
}

static guint place_of(gint64 ns)
{
    return (guint)strobe_hash_number(strobe_hash_key(), (guint64)ns);
}

/* Returns the slot of this duration; if there is none, the free slot in which it belongs. */
static DurationCount *slot_of(DurationCount *slots, guint n_slots, gint64 ns)
{
    guint at = place_of(ns);

    for (;; at++) {
        DurationCount *slot = &slots[at & (n_slots - 1)];

        if (!slot->count || slot->ns == ns)
            return slot;
    }
}

/* Doubles the table, and moves all counts to the new one. The caller does this when three quarters
 * of the slots are used. */
static void grow_slots(DurationCounts *counts)
{
    const guint n_slots = counts->n_slots ? 2 * counts->n_slots : FIRST_SLOTS;
    DurationCount *slots = g_new0(DurationCount, n_slots);

    for (guint i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count)
            *slot_of(slots, n_slots, counts->slots[i].ns) = counts->slots[i];
    g_free(counts->slots);
    counts->slots = slots;
    counts->n_slots = n_slots;
}

gboolean duration_counts_add(DurationCounts *counts, gint64 ns)
{
    DurationCount *slot;

    if (4 * (guint64)counts->n >= 3 * (guint64)counts->n_slots)
        grow_slots(counts);
    slot = slot_of(counts->slots, counts->n_slots, ns);
    slot->ns = ns;
    if (slot->count++)
        return FALSE;
    counts->n++;
    return TRUE;
}

static int compare_durations(const void *a, const void *b)
{
    const DurationCount *x = a, *y = b;

    return (x->ns > y->ns) - (x->ns < y->ns);
}

const DurationCount *duration_counts_sort(DurationCounts *counts)
{
    guint n = 0;

    for (guint i = 0; i < counts->n_slots; i++)
        if (counts->slots[i].count)
            counts->slots[n++] = counts->slots[i];
    if (n)
        qsort(counts->slots, n, sizeof *counts->slots, compare_durations);
    return counts->slots;
}

guint64 duration_counts_steps(const DurationCounts *counts)
{
    guint64 n = 0;

    for (guint at = 0; at < counts->n_slots; at++)
        if (counts->slots[at].count)
            n += (at - place_of(counts->slots[at].ns)) & (counts->n_slots - 1);
    return n;
}
