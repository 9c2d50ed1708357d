/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are not released, and the effect of each event on them. */
#ifndef STROBE_PASSES_LIVE_BLOCKS_H
#define STROBE_PASSES_LIVE_BLOCKS_H

#include "memory-event.h"

#define LIVE_BLOCKS_MAX 1048576u

typedef struct LiveBlocks LiveBlocks;

/* With `are_reported` the source reports all blocks: a state is only a state. */
LiveBlocks *live_blocks_new(gboolean are_reported);
void live_blocks_free(LiveBlocks *live);

/* In order of time. Derives the event of a state. */
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
