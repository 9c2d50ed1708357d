/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept for each of many ids: a hash without an allocation for each. */
#ifndef STROBE_PASSES_ID_INDEX_H
#define STROBE_PASSES_ID_INDEX_H

#include <glib.h>

typedef struct IdIndex IdIndex;

/* With room for so many ids before it grows. */
IdIndex *id_index_new(guint room);
void id_index_free(gpointer index);

/* NULL: it is not there. */
gpointer id_index_find(const IdIndex *index, guint64 id);
/* What is kept for the id, which is `item` (not NULL) from now on if nothing was. */
gpointer id_index_add(IdIndex *index, guint64 id, gpointer item);

#endif
