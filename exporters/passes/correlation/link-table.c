/* SPDX-License-Identifier: Apache-2.0 */
#include "link-table.h"

#include "id-rows.h"

struct LinkTable {
    LinkDone done;
    void *user;
    IdRows *entries; /* elements of type LinkEntry */
    LinkEntry *last; /* a cache, because the causes and effects of an id mostly come together */
    guint n_waiting;
};

LinkTable *link_table_new(LinkDone done, void *user)
{
    LinkTable *table = g_new0(LinkTable, 1);

    table->done = done;
    table->user = user;
    table->entries = id_rows_new(sizeof(LinkEntry));
    return table;
}

void link_table_free(LinkTable *table)
{
    if (!table)
        return;
    for (guint i = 0; i < id_rows_count(table->entries); i++) {
        LinkEntry *entry = id_rows_at(table->entries, i);

        if (entry->waiting)
            g_array_unref(entry->waiting);
    }
    id_rows_free(table->entries);
    g_free(table);
}

/* ---- entries ---- */

/* Checks the order of a cause and its effect: counts the effect as a violation if it begins before
 * the cause by more than the clock error, and as unchecked if the error is unknown. */
static void check_effect(LinkEntry *entry, const LinkEffect *effect)
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
        check_effect(entry, &g_array_index(entry->waiting, LinkEffect, i));
    table->n_waiting -= entry->waiting->len;
    g_clear_pointer(&entry->waiting, g_array_unref);
}

/* Completes and drops the oldest entries until at most `n` remain. */
static void release_oldest(LinkTable *table, guint n, gboolean is_early)
{
    const guint count = id_rows_count(table->entries), n_old = count - MIN(count, n);

    table->last = NULL;
    for (guint i = 0; i < n_old; i++) {
        LinkEntry *entry = id_rows_at(table->entries, i);

        entry->is_reported = TRUE;
        check_waiting(table, entry);
        table->done(table->user, entry, is_early);
    }
    id_rows_forget(table->entries, n_old);
}

static LinkEntry *entry_of(LinkTable *table, guint64 id)
{
    if (table->last && table->last->id == id)
        return table->last;
    table->last = id_rows_find(table->entries, id);
    if (!table->last) {
        if (id_rows_count(table->entries) >= LINK_ENTRIES_MAX)
            release_oldest(table, LINK_ENTRIES_MAX / 2, TRUE);
        table->last = id_rows_add(table->entries, id);
    }
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
        check_effect(entry, effect);
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
    const LinkEntry *entry = id_rows_find(table->entries, id);

    return entry && !entry->is_reported ? entry : NULL;
}

void link_table_finish(LinkTable *table)
{
    release_oldest(table, 0, FALSE);
}
