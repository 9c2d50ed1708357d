/* SPDX-License-Identifier: Apache-2.0 */
#include "sorted-values.h"

GPtrArray *sorted_values(GHashTable *table, GCompareFunc compare)
{
    GPtrArray *sorted = g_ptr_array_sized_new(g_hash_table_size(table));
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, table);
    while (g_hash_table_iter_next(&iter, NULL, &value))
        g_ptr_array_add(sorted, value);
    g_ptr_array_sort(sorted, compare);
    return sorted;
}
