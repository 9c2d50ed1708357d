/* SPDX-License-Identifier: Apache-2.0 */
/* Where each of many ids is kept: a hash without an allocation for each. Ids are forgotten all at
 * once. */
#ifndef STROBE_PASSES_ID_INDEX_H
#define STROBE_PASSES_ID_INDEX_H

#include <glib.h>

#define ID_INDEX_NONE G_MAXUINT32

typedef struct IdIndex IdIndex;

IdIndex *id_index_new(void);
void id_index_free(IdIndex *index);

/* ID_INDEX_NONE: it is not there. */
guint32 id_index_find(const IdIndex *index, guint64 id);
/* The place of an id, which is `place` from now on if it was not there. */
guint32 id_index_add(IdIndex *index, guint64 id, guint32 place);
void id_index_forget_all(IdIndex *index);

#endif
