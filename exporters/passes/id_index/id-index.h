/* SPDX-License-Identifier: Apache-2.0 */
/* A hash table from ids to items. It has no separate allocation for each id. */
#ifndef STROBE_PASSES_ID_INDEX_H
#define STROBE_PASSES_ID_INDEX_H

#include <glib.h>

typedef struct IdIndex IdIndex;

/* Makes an index. It grows when it has more than `room` ids. */
IdIndex *id_index_new(guint room);
void id_index_free(gpointer index);

/* Returns the id's item; NULL: it has none. */
gpointer id_index_find(const IdIndex *index, guint64 id);
/* Adds `item` (not NULL) if the id has no item yet. Returns the id's item. */
gpointer id_index_add(IdIndex *index, guint64 id, gpointer item);

#endif
