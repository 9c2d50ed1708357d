/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept for each of many ids: a hash without an allocation for each. Ids are forgotten all
 * at once. */
#ifndef STROBE_PASSES_ID_INDEX_H
#define STROBE_PASSES_ID_INDEX_H

#include <glib.h>

#define ID_INDEX_NONE G_MAXUINT32

typedef struct IdIndex IdIndex;

/* With room for so many ids before it grows. */
IdIndex *id_index_new(guint room);
void id_index_free(gpointer index);

/* NULL: it is not there. */
gpointer id_index_find(const IdIndex *index, guint64 id);
/* What is kept for the id, which is `item` (not NULL) from now on if nothing was. */
gpointer id_index_add(IdIndex *index, guint64 id, gpointer item);
void id_index_forget_all(IdIndex *index);

/* The same for places of an array. ID_INDEX_NONE: it is not there. */
guint32 id_index_find_place(const IdIndex *index, guint64 id);
guint32 id_index_add_place(IdIndex *index, guint64 id, guint32 place);

#endif
