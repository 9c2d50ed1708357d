/* SPDX-License-Identifier: Apache-2.0 */
#include "comm-tree.h"

#include <strobe/helpers/keyed-hash.h>

static void free_entry(gpointer data)
{
    CommEntry *entry = data;

    g_free(entry->name);
    g_array_unref(entry->bandwidths);
    g_array_unref(entry->links);
    g_free(entry);
}

static void free_step(gpointer data)
{
    CommStep *step = data;

    for (guint i = 0; i < COMM_TYPES; i++) {
        CommList *list = &step->lists[i];

        g_hash_table_unref(list->by_name);
        g_ptr_array_unref(list->entries);
        if (list->total)
            free_entry(list->total);
    }
    g_free(step);
}

GPtrArray *comm_tree_new(void)
{
    return g_ptr_array_new_with_free_func(free_step);
}

CommList *comm_tree_list(GPtrArray *tree, gint64 number, guint type)
{
    CommStep *step;

    for (guint i = tree->len; i > 0; i--) {
        step = g_ptr_array_index(tree, i - 1);
        if (step->number == number)
            return &step->lists[type];
    }
    step = g_new0(CommStep, 1);
    step->number = number;
    for (guint i = 0; i < COMM_TYPES; i++) {
        step->lists[i].entries = g_ptr_array_new_with_free_func(free_entry);
        step->lists[i].by_name = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    }
    g_ptr_array_add(tree, step);
    return &step->lists[type];
}

static CommEntry *new_entry(const char *name, gboolean is_total)
{
    CommEntry *entry = g_new0(CommEntry, 1);

    entry->name = g_strdup(name);
    entry->is_total = is_total;
    entry->bandwidths = g_array_new(FALSE, FALSE, sizeof(struct strobe_communication_bandwidth));
    entry->links = g_array_new(FALSE, FALSE, sizeof(struct strobe_communication_matrix));
    return entry;
}

CommEntry *comm_list_entry(CommList *list, const char *name, gboolean is_total)
{
    CommEntry *entry = is_total ? list->total : g_hash_table_lookup(list->by_name, name);

    if (entry)
        return entry;
    entry = new_entry(name, is_total);
    if (is_total) {
        list->total = entry;
        return entry;
    }
    g_ptr_array_add(list->entries, entry);
    g_hash_table_insert(list->by_name, entry->name, entry);
    return entry;
}
