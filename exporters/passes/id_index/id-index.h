/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from ids to items. It has no separate allocation for each id. */
#ifndef STROBE_PASSES_ID_INDEX_H
#define STROBE_PASSES_ID_INDEX_H

#include <glib.h>

typedef struct IdIndex IdIndex;

/* Makes an index with room for `room` ids. The index grows when it has more ids. */
IdIndex *id_index_new(guint room);
void id_index_free(gpointer index);

/* Returns the item of the id; NULL: the id has none. */
gpointer id_index_find(const IdIndex *index, guint64 id);
/* Adds `item` (not NULL) for the id, if the id has no item yet. Returns the item of the id. */
gpointer id_index_add(IdIndex *index, guint64 id, gpointer item);

#endif
