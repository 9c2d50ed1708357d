/* SPDX-License-Identifier: Apache-2.0 */
/* Collects, for each row of a trace, the arguments of its events, before the layers are known. */
#ifndef STROBE_ASCEND_TEXT_INDEX_PASS_H
#define STROBE_ASCEND_TEXT_INDEX_PASS_H

#include "ascend-text-layers.h"
#include "trace-kinds.h"

typedef struct IndexPass {
    GHashTable *shapes; /* hash of the row, the category and the keys -> Shape */
} IndexPass;

void index_pass_init(IndexPass *index_pass);
void index_pass_clear(IndexPass *index_pass);
void index_pass_take(IndexPass *index_pass, const TraceEvent *event);
/* Passes the collected arguments to the kinds. Must be called when the layers are known. */
void index_pass_finish(IndexPass *index_pass, Layers *layers, TraceKinds *kinds);

/* Returns whether only tasks have this argument. */
gboolean index_pass_is_task(const char *key);

/* Returns the kind of a span on the row, or NULL. `is_task`: the span has an argument that only
 * tasks have. */
TraceKind *index_pass_kind_of(const TraceKinds *kinds, const Row *row, const char *category,
                              gboolean is_task);

#endif
