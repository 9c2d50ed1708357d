/* SPDX-License-Identifier: Apache-2.0 */
/* What the record sorter puts in order in memory: where a record is, and what decides its place. */
#ifndef STROBE_CORE_SORT_ITEMS_H
#define STROBE_CORE_SORT_ITEMS_H

#include <glib.h>

/* When a record ends and begins, and where its words are. */
typedef struct StrobeSortItem {
    gint64 end, begin;
    guint64 place;
} StrobeSortItem;

/* By end, those that began later first, then as they came. */
static inline gboolean strobe_sort_item_before(const StrobeSortItem *a, const StrobeSortItem *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->begin != b->begin ? a->begin > b->begin : a->place < b->place;
}

/* Takes memory for as many items meanwhile, or is slower where there is none. */
void strobe_sort_items(StrobeSortItem *items, gsize n);

#endif
