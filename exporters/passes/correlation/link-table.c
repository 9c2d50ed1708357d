/* SPDX-License-Identifier: Apache-2.0 */
#include "link-table.h"

#include "id-index.h"

struct LinkTable {
    LinkDone done;
    void *user;
    GArray *entries; /* of LinkEntry, first seen first */
    IdIndex *by_id;  /* id of an entry, to its place there */
    guint first;     /* entry that is not forgotten; behind it while the oldest are told */
    LinkEntry *last; /* causes and effects of one id come in runs */
    guint n_waiting;
};

LinkTable *link_table_new(LinkDone done, void *user)
{
    LinkTable *table = g_new0(LinkTable, 1);

    table->done = done;
    table->user = user;
    table->entries = g_array_new(FALSE, FALSE, sizeof(LinkEntry));
    table->by_id = id_index_new(512);
    return table;
}

static LinkEntry *entry_at(const LinkTable *table, guint place)
{
    return &g_array_index(table->entries, LinkEntry, place);
}

void link_table_free(LinkTable *table)
{
    if (!table)
        return;
    for (guint i = 0; i < table->entries->len; i++)
        if (entry_at(table, i)->waiting)
            g_array_unref(entry_at(table, i)->waiting);
    g_array_unref(table->entries);
    id_index_free(table->by_id);
    g_free(table);
}

/* ---- entries ---- */

/* An effect may begin when its cause does, not before, but for the clocks' error. */
static void check(LinkEntry *entry, const LinkEffect *effect)
{
    gint64 early_ns;

    if (effect->error_ns == LINK_NOT_CHECKED ||
        __builtin_sub_overflow(entry->cause_ns, effect->begin_ns, &early_ns)) {
        entry->n_unchecked++;
        return;
    }
    entry->error_ns = MAX(entry->error_ns, effect->error_ns);
    if (early_ns > 0 && (guint64)early_ns > effect->error_ns) {
        entry->n_violations++;
        entry->worst_ns = MAX(entry->worst_ns, early_ns);
    }
}

static void check_waiting(LinkTable *table, LinkEntry *entry)
{
    if (!entry->waiting)
        return;
    for (guint i = 0; entry->has_cause && i < entry->waiting->len; i++)
        check(entry, &g_array_index(entry->waiting, LinkEffect, i));
    table->n_waiting -= entry->waiting->len;
    g_clear_pointer(&entry->waiting, g_array_unref);
}

/* Tells and forgets the oldest entries until `n` are left. */
static void drain(LinkTable *table, guint n, gboolean is_early)
{
    guint n_old = table->entries->len - MIN(table->entries->len, n);

    table->last = NULL;
    for (table->first = 0; table->first < n_old;) {
        LinkEntry *entry = entry_at(table, table->first++);

        check_waiting(table, entry);
        table->done(table->user, entry, is_early);
    }
    g_array_remove_range(table->entries, 0, n_old);
    table->first = 0;
    id_index_forget_all(table->by_id);
    for (guint i = 0; i < table->entries->len; i++)
        id_index_add_place(table->by_id, entry_at(table, i)->id, i);
}

static LinkEntry *entry_of(LinkTable *table, guint64 id)
{
    const LinkEntry made = {.id = id};
    guint32 place;

    if (table->last && table->last->id == id)
        return table->last;
    place = id_index_find_place(table->by_id, id);
    if (place == ID_INDEX_NONE) {
        if (table->entries->len >= LINK_ENTRIES_MAX)
            drain(table, LINK_ENTRIES_MAX / 2, TRUE);
        place = table->entries->len;
        g_array_append_val(table->entries, made);
        id_index_add_place(table->by_id, id, place);
    }
    table->last = entry_at(table, place);
    return table->last;
}

/* ---- causes and effects ---- */

static void set_cause(LinkEntry *entry, guint64 thread, gint64 begin_ns)
{
    entry->has_cause = TRUE;
    entry->cause_thread = thread;
    entry->cause_ns = begin_ns;
}

void link_table_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns)
{
    LinkEntry *entry = entry_of(table, id);

    if (entry->has_cause) {
        entry->is_ambiguous |= entry->cause_thread != thread;
        return;
    }
    set_cause(entry, thread, begin_ns);
    check_waiting(table, entry);
}

void link_table_latest_cause(LinkTable *table, guint64 id, guint64 thread, gint64 begin_ns)
{
    LinkEntry *entry = entry_of(table, id);

    if (!entry->has_cause || begin_ns > entry->cause_ns)
        set_cause(entry, thread, begin_ns);
}

void link_table_effect(LinkTable *table, guint64 id, const LinkEffect *effect)
{
    LinkEntry *entry = entry_of(table, id);

    entry->n_effects++;
    if (entry->has_cause) {
        check(entry, effect);
    } else if (table->n_waiting >= LINK_WAITING_MAX) {
        entry->n_unchecked++;
    } else {
        if (!entry->waiting)
            entry->waiting = g_array_sized_new(FALSE, FALSE, sizeof *effect, 1);
        g_array_append_val(entry->waiting, *effect);
        table->n_waiting++;
    }
}

const LinkEntry *link_table_find(const LinkTable *table, guint64 id)
{
    guint32 place = id_index_find_place(table->by_id, id);

    return place == ID_INDEX_NONE || place < table->first ? NULL : entry_at(table, place);
}

void link_table_finish(LinkTable *table)
{
    drain(table, 0, FALSE);
}
