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

/* Applies an event. Events must come in the order of their times. For an event that is only a state
 * (totals), derives which event it stands for. */
void live_blocks_take(LiveBlocks *live, MemoryEvent *event);
/* Notes the totals of a state without applying it, because another event has the details. */
void live_blocks_skip(LiveBlocks *live, const MemoryEvent *event);
/* Call this after the last event: finishes the blocks that were not released. */
void live_blocks_finish(LiveBlocks *live);

/* Returns the finished blocks (MemoryBlock) in the order of output; the caller removes them. */
GArray *live_blocks_sorted(LiveBlocks *live);
guint live_blocks_n_finished(const LiveBlocks *live);

/* Number of releases whose block is not known, because it was allocated earlier, or was dropped. */
guint64 live_blocks_n_orphans(const LiveBlocks *live);
guint64 live_blocks_n_dropped(const LiveBlocks *live);

#endif
