/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what the pool of a program that has ended contains of one window. */
#ifndef STROBE_CORE_POOL_SALVAGE_H
#define STROBE_CORE_POOL_SALVAGE_H

#include <glib.h>
#include "pool.h"

typedef struct StrobePoolSalvage {
    guint32 window;
    GPtrArray *blocks; /* of struct pool_block, sorted by thread buffer and then by the order in
                          which they were filled */
    guint64 overwritten[STROBE_POOL_THREAD_BUFFERS]; /* number of records in the pool that belong to
                                                        overwritten blocks */
} StrobePoolSalvage;

/* Finds the blocks of the window in the pool. `pool` must be a private mapping, because open spans
 * that are already recorded are removed from its stacks. */
StrobePoolSalvage *strobe_pool_salvage_new(struct pool_header *pool, guint32 window);
void strobe_pool_salvage_free(StrobePoolSalvage *left);

/* Returns the latest of `latest` and of those times in the pool that are below `limit`. */
guint64 strobe_pool_salvage_latest(const StrobePoolSalvage *left, const struct pool_header *pool,
                                   guint64 latest, guint64 limit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobePoolSalvage, strobe_pool_salvage_free)

#endif
