/* SPDX-License-Identifier: Apache-2.0 */
#include "nesting.h"

#include <string.h>

struct Nesting {
    const NestingOps *ops;
    void *user;
    GHashTable *tracks; /* StrobeTrackId -> GArray of entries, the oldest first */
    GPtrArray *order;   /* the arrays of `tracks`, in the order of first use */
    GArray *last;       /* the array that was used last */
    StrobeTrackId last_track;
    guint64 adopted_late;
};

Nesting *nesting_new(const NestingOps *ops, void *user)
{
    Nesting *nesting = g_new0(Nesting, 1);

    nesting->ops = ops;
    nesting->user = user;
    nesting->tracks = g_hash_table_new(g_direct_hash, g_direct_equal);
    nesting->order = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    return nesting;
}

void nesting_free(Nesting *nesting)
{
    if (!nesting)
        return;
    g_hash_table_unref(nesting->tracks);
    g_ptr_array_unref(nesting->order);
    g_free(nesting);
}

guint64 nesting_adopted_late(const Nesting *nesting)
{
    return nesting->adopted_late;
}

static NestingSpan *entry_at(const Nesting *nesting, GArray *entries, guint index)
{
    return (NestingSpan *)(void *)(entries->data + index * nesting->ops->entry_size);
}

static GArray *entries_of(Nesting *nesting, StrobeTrackId track)
{
    GArray *entries;

    if (nesting->last && nesting->last_track == track)
        return nesting->last;
    entries = g_hash_table_lookup(nesting->tracks, GUINT_TO_POINTER(track));
    if (!entries) {
        entries = g_array_new(FALSE, FALSE, (guint)nesting->ops->entry_size);
        g_hash_table_insert(nesting->tracks, GUINT_TO_POINTER(track), entries);
        g_ptr_array_add(nesting->order, entries);
    }
    nesting->last = entries;
    nesting->last_track = track;
    return entries;
}

static gboolean merge_spans(Nesting *nesting, NestingSpan *into, NestingSpan *from)
{
    into->is_fold = TRUE;
    into->begin_ns = MIN(into->begin_ns, from->begin_ns);
    into->end_ns = MAX(into->end_ns, from->end_ns);
    into->total_ns += from->total_ns;
    into->count += from->count;
    return nesting->ops->merge(nesting->user, into, from);
}

/* Merges all entries except the NESTING_RECENT last ones into folds. */
static gboolean compact_entries(Nesting *nesting, GArray *entries)
{
    guint n_old = entries->len - NESTING_RECENT;
    guint kept = 0;

    for (guint i = 0; i < n_old; i++) {
        NestingSpan *entry = entry_at(nesting, entries, i);

        if (!entry->is_fold && !nesting->ops->fold(nesting->user, entry))
            return FALSE;
        if (i % NESTING_GROUP) {
            if (!merge_spans(nesting, entry_at(nesting, entries, kept - 1), entry))
                return FALSE;
            continue;
        }
        entry->is_fold = TRUE;
        memmove(entry_at(nesting, entries, kept++), entry, nesting->ops->entry_size);
    }
    g_array_remove_range(entries, kept, n_old - kept);
    return TRUE;
}

static gboolean adopt_span(Nesting *nesting, NestingSpan *parent, NestingSpan *child)
{
    parent->children_ns += child->total_ns;
    parent->children += child->count;
    if (child->is_fold)
        nesting->adopted_late += child->count;
    return nesting->ops->adopt(nesting->user, parent, child);
}

gboolean nesting_add(Nesting *nesting, NestingSpan *entry)
{
    GArray *entries = entries_of(nesting, entry->track);
    NestingSpan *top = NULL;

    entry->total_ns = entry->end_ns - entry->begin_ns;
    entry->children_ns = 0;
    entry->children = 0;
    entry->count = 1;
    entry->is_fold = FALSE;
    while (entries->len) {
        top = entry_at(nesting, entries, entries->len - 1);
        if (top->begin_ns < entry->begin_ns || top->end_ns > entry->end_ns)
            break;
        if (!adopt_span(nesting, entry, top))
            return FALSE;
        g_array_set_size(entries, entries->len - 1);
        top = NULL;
    }
    /* All unfinished spans end when the window ends, so a parent may come before its child. */
    if (top && !top->is_fold && top->begin_ns <= entry->begin_ns && top->end_ns >= entry->end_ns &&
        entry->begin_ns < top->end_ns)
        return adopt_span(nesting, top, entry);
    if (entries->len >= NESTING_PENDING_MAX && !compact_entries(nesting, entries))
        return FALSE;
    g_array_append_vals(entries, entry, 1);
    return TRUE;
}

gboolean nesting_finish(Nesting *nesting)
{
    for (guint i = 0; i < nesting->order->len; i++) {
        GArray *entries = nesting->order->pdata[i];

        for (guint k = 0; k < entries->len; k++)
            if (!nesting->ops->outermost(nesting->user, entry_at(nesting, entries, k)))
                return FALSE;
        g_array_set_size(entries, 0);
    }
    return TRUE;
}
