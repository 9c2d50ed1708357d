/* SPDX-License-Identifier: Apache-2.0 */
#include "link-table.h"

struct LinkTable {
    LinkDone done;
    void *user;
    GHashTable *by_id; /* id of a LinkEntry, to the entry */
    GQueue order;      /* the same entries, first seen first */
    LinkEntry *last;   /* causes and effects of one id come in runs */
    guint n_waiting;
};

LinkTable *link_table_new(LinkDone done, void *user)
{
    LinkTable *table = g_new0(LinkTable, 1);

    table->done = done;
    table->user = user;
    table->by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
    g_queue_init(&table->order);
    return table;
}

static void free_entry(gpointer data)
{
    LinkEntry *entry = data;

    if (entry->waiting)
        g_array_unref(entry->waiting);
    g_free(entry);
}

void link_table_free(LinkTable *table)
{
    if (!table)
        return;
    g_hash_table_unref(table->by_id);
    g_queue_clear_full(&table->order, free_entry);
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
    table->last = NULL;
    while (table->order.length > n) {
        LinkEntry *entry = g_queue_pop_head(&table->order);

        check_waiting(table, entry);
        g_hash_table_remove(table->by_id, &entry->id);
        table->done(table->user, entry, is_early);
        free_entry(entry);
    }
}

static LinkEntry *entry_of(LinkTable *table, guint64 id)
{
    LinkEntry *entry = table->last;

    if (entry && entry->id == id)
        return entry;
    entry = g_hash_table_lookup(table->by_id, &id);
    if (!entry) {
        if (table->order.length >= LINK_ENTRIES_MAX)
            drain(table, LINK_ENTRIES_MAX / 2, TRUE);
        entry = g_new0(LinkEntry, 1);
        entry->id = id;
        g_hash_table_insert(table->by_id, &entry->id, entry);
        g_queue_push_tail(&table->order, entry);
    }
    table->last = entry;
    return entry;
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
    return g_hash_table_lookup(table->by_id, &id);
}

void link_table_finish(LinkTable *table)
{
    drain(table, 0, FALSE);
}
