/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that have not been given back, and what each event makes of them. */
#ifndef STROBE_PASSES_LIVE_BLOCKS_H
#define STROBE_PASSES_LIVE_BLOCKS_H

#include "memory-event.h"

#define LIVE_BLOCKS_MAX 1048576u

typedef struct LiveBlocks LiveBlocks;

/* With `are_reported` the source tells all blocks: a state is only a state. */
LiveBlocks *live_blocks_new(gboolean are_reported);
void live_blocks_free(LiveBlocks *live);

/* In order of time. Of a state it is found out what happened. */
void live_blocks_take(LiveBlocks *live, MemoryEvent *event);
/* A state beside an event that tells more. */
void live_blocks_skip(LiveBlocks *live, const MemoryEvent *event);
/* No more events: what lives is finished as well. */
void live_blocks_finish(LiveBlocks *live);

/* Blocks that are finished, in the order in which they are shown; the caller empties it. Of
 * MemoryBlock. */
GArray *live_blocks_sorted(LiveBlocks *live);
guint live_blocks_n_finished(const LiveBlocks *live);

/* Events that belong to no block: of one that was there before, or for which there was no room. */
guint64 live_blocks_n_orphans(const LiveBlocks *live);
guint64 live_blocks_n_dropped(const LiveBlocks *live);

#endif
