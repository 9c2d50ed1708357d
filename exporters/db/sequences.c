/* SPDX-License-Identifier: Apache-2.0 */
#include "sequences.h"

#include <string.h>

#define NUMBERS_MAX (1u << 19)
#define SLOTS (NUMBERS_MAX * 2)
#define NO_OP G_MAXUINT32
#define NEAR_BITS 3u /* numbers count up: so many in a row lie side by side */
#define NEAR ((1u << NEAR_BITS) - 1)

typedef struct Entry {
    gint64 number;
    guint32 ops[2]; /* forward, backward */
} Entry;

struct Sequences {
    SequencePair pair;
    gpointer user;
    GArray *entries; /* of Entry, in the order in which they were seen */
    guint32 *slots;  /* place among the entries, less one; 0: free */
    gint64 n_pairs;
};

Sequences *sequences_new(SequencePair pair, gpointer user)
{
    Sequences *s = g_new0(Sequences, 1);

    s->pair = pair;
    s->user = user;
    s->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    return s;
}

void sequences_free(Sequences *s)
{
    g_array_unref(s->entries);
    g_free(s->slots);
    g_free(s);
}

/* The slot with the number, or the free one where it belongs. */
static guint32 *slot_of(Sequences *s, gint64 number)
{
    guint64 hash = ((guint64)number >> NEAR_BITS) * 0x9e3779b97f4a7c15u;
    guint32 at = (guint32)(hash >> 40 << NEAR_BITS | ((guint64)number & NEAR)) & (SLOTS - 1);

    while (s->slots[at] && g_array_index(s->entries, Entry, s->slots[at] - 1).number != number)
        at = (at + 1) & (SLOTS - 1);
    return &s->slots[at];
}

static void tell(Sequences *s, guint n)
{
    for (guint i = 0; i < n; i++) {
        const Entry *entry = &g_array_index(s->entries, Entry, i);

        if (entry->ops[0] != NO_OP && entry->ops[1] != NO_OP)
            s->pair(s->user, s->n_pairs++, entry->ops[0], entry->ops[1]);
    }
    g_array_remove_range(s->entries, 0, n);
}

static void forget_older(Sequences *s)
{
    tell(s, s->entries->len / 2);
    memset(s->slots, 0, SLOTS * sizeof *s->slots);
    for (guint i = 0; i < s->entries->len; i++)
        *slot_of(s, g_array_index(s->entries, Entry, i).number) = i + 1;
}

void sequences_add(Sequences *s, gint64 number, gboolean is_backward, guint32 op)
{
    guint32 *slot;

    if (!s->slots)
        s->slots = g_new0(guint32, SLOTS);
    slot = slot_of(s, number);
    if (!*slot) {
        const Entry entry = {number, {NO_OP, NO_OP}};

        if (s->entries->len == NUMBERS_MAX) {
            forget_older(s);
            slot = slot_of(s, number);
        }
        g_array_append_val(s->entries, entry);
        *slot = s->entries->len;
    }
    g_array_index(s->entries, Entry, *slot - 1).ops[is_backward ? 1 : 0] = op;
}

void sequences_end(Sequences *s)
{
    if (s->entries->len)
        tell(s, s->entries->len);
}
