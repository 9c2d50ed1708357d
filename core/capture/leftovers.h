/* SPDX-License-Identifier: Apache-2.0 */
/* What lies in the pool of a program that died, of one window. */
#ifndef STROBE_CORE_LEFTOVERS_H
#define STROBE_CORE_LEFTOVERS_H

#include <glib.h>
#include "pool.h"

typedef struct StrobeLeftovers {
    guint32 window;
    GPtrArray *blocks; /* of struct pool_block, by lane and then in the order of filling */
    guint64 overwritten[STROBE_POOL_LANES]; /* records that are there and belong to what is gone */
} StrobeLeftovers;

/* `pool` is a private mapping: open spans that are recorded already are taken off its stacks. */
StrobeLeftovers *strobe_leftovers_new(struct pool_header *pool, guint32 window);
void strobe_leftovers_free(StrobeLeftovers *left);

/* The latest time in it, below `limit`, or `latest`. */
guint64 strobe_leftovers_latest(const StrobeLeftovers *left, const struct pool_header *pool,
                                guint64 latest, guint64 limit);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeLeftovers, strobe_leftovers_free)

#endif
