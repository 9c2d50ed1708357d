/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts any number of small items in bounded memory, by way of a scratch file: for files whose
 * records stand in another order than their times. */
#ifndef STROBE_ASCEND_RAW_ITEM_SORTER_H
#define STROBE_ASCEND_RAW_ITEM_SORTER_H

#include <glib.h>

/* Sorted by group, time, then as added. */
typedef struct SortItem {
    guint64 group;
    gint64 time;
    guint64 order; /* set by the sorter */
    guint64 a, b;
} SortItem;

typedef struct ItemSorter ItemSorter;

/* `scratch` (owned, -1: none) takes what `memory_bytes` do not hold. */
ItemSorter *item_sorter_new(int scratch, gsize memory_bytes);
void item_sorter_free(ItemSorter *sorter);

/* FALSE: the scratch file cannot be written or read (errno). */
gboolean item_sorter_add(ItemSorter *sorter, const SortItem *item);
/* After the last one was added. FALSE at the end too, with errno 0. */
gboolean item_sorter_next(ItemSorter *sorter, SortItem *item);

#endif
