/* SPDX-License-Identifier: Apache-2.0 */
/* Finds one of many by its name. */
#ifndef STROBE_PASSES_NAME_INDEX_H
#define STROBE_PASSES_NAME_INDEX_H

#include <glib.h>
#include <strobe/exporter.h>

typedef struct NameIndex NameIndex;

NameIndex *name_index_new(void);
void name_index_free(gpointer index);

/* What was added by the name; NULL: nothing. */
gpointer name_index_find(const NameIndex *index, StrobeStringId name);
/* A name that is not there yet; `item` is not NULL. */
void name_index_add(NameIndex *index, StrobeStringId name, gpointer item);

#endif
