/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are not released, and the effect of each event on them. */
#ifndef STROBE_PASSES_LIVE_BLOCKS_H
#define STROBE_PASSES_LIVE_BLOCKS_H

#include "memory-event.h"

#define LIVE_BLOCKS_MAX 1048576u

typedef struct LiveBlocks LiveBlocks;

/* `are_reported`: the source reports every block, so totals make no blocks. */
LiveBlocks *live_blocks_new(gboolean are_reported);
void live_blocks_free(LiveBlocks *live);

/* Takes events in order of time. For a state, finds out which event it means. */
void live_blocks_take(LiveBlocks *live, MemoryEvent *event);
/* Skips a state if an event with more data exists. */
void live_blocks_skip(LiveBlocks *live, const MemoryEvent *event);
/* No more events follow: finishes live blocks too. */
void live_blocks_finish(LiveBlocks *live);

/* Finished blocks, in the order of output; the caller empties it. Of MemoryBlock. */
GArray *live_blocks_sorted(LiveBlocks *live);
guint live_blocks_n_finished(const LiveBlocks *live);

/* Number of events without a block: it existed before, or there was no room for it. */
guint64 live_blocks_n_orphans(const LiveBlocks *live);
guint64 live_blocks_n_dropped(const LiveBlocks *live);

#endif
