/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the blocks that are not released yet, and applies each event to its block. */
#ifndef STROBE_PASSES_LIVE_BLOCKS_H
#define STROBE_PASSES_LIVE_BLOCKS_H

#include "memory-event.h"

#define LIVE_BLOCKS_MAX 1048576u

typedef struct LiveBlocks LiveBlocks;

/* `are_reported`: the source has an event for every block, so no blocks are derived from totals. */
LiveBlocks *live_blocks_new(gboolean are_reported);
void live_blocks_free(LiveBlocks *live);

/* Applies an event to its block. Events must come in the order of their times. If the event is only
 * a state (totals), first derives the allocation or release that led to these totals. */
void live_blocks_take(LiveBlocks *live, MemoryEvent *event);
/* Stores the totals of a state but derives no event from them, because another event has the
 * details. */
void live_blocks_skip(LiveBlocks *live, const MemoryEvent *event);
/* Finishes the blocks that were not released. Must be called after the last event. */
void live_blocks_finish(LiveBlocks *live);

/* Returns the finished blocks (MemoryBlock) in the order of output. The caller removes them from
 * the array. */
GArray *live_blocks_sorted(LiveBlocks *live);
guint live_blocks_n_finished(const LiveBlocks *live);

/* Returns the number of releases whose block is unknown, because it was allocated before the window
 * or was dropped. */
guint64 live_blocks_n_orphans(const LiveBlocks *live);
guint64 live_blocks_n_dropped(const LiveBlocks *live);

#endif
