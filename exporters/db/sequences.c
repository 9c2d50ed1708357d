/* SPDX-License-Identifier: Apache-2.0 */
#include "sequences.h"

#include "id-rows.h"

#define NUMBERS_MAX (1u << 19)

typedef struct Entry {
    guint64 number;
    guint32 ops[2]; /* 1 + forward operator, and 1 + backward operator; 0: none has come */
} Entry;

struct Sequences {
    SequencePair pair;
    gpointer user;
    IdRows *entries; /* elements of type Entry */
    gint64 n_pairs;
};

Sequences *sequences_new(SequencePair pair, gpointer user)
{
    Sequences *s = g_new0(Sequences, 1);

    s->pair = pair;
    s->user = user;
    s->entries = id_rows_new(sizeof(Entry));
    return s;
}

void sequences_free(Sequences *s)
{
    id_rows_free(s->entries);
    g_free(s);
}

static void emit_pairs(Sequences *s, guint n)
{
    for (guint i = 0; i < n; i++) {
        const Entry *entry = id_rows_at(s->entries, i);

        if (entry->ops[0] && entry->ops[1])
            s->pair(s->user, s->n_pairs++, entry->ops[0] - 1, entry->ops[1] - 1);
    }
    id_rows_forget(s->entries, n);
}

void sequences_add(Sequences *s, gint64 number, gboolean is_backward, guint32 op)
{
    Entry *entry = id_rows_find(s->entries, (guint64)number);

    if (!entry) {
        if (id_rows_count(s->entries) == NUMBERS_MAX)
            emit_pairs(s, NUMBERS_MAX / 2);
        entry = id_rows_add(s->entries, (guint64)number);
    }
    entry->ops[is_backward ? 1 : 0] = op + 1;
}

void sequences_end(Sequences *s)
{
    emit_pairs(s, id_rows_count(s->entries));
}
