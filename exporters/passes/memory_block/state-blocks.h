/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of an allocator of which only the totals are told, as a database has them of the
 * framework's: what a total grows by is a block, what it shrinks by is the release of one of that
 * size.
 *
 * Of several blocks of one size the youngest is taken, but for what a node of the backward graph
 * made itself: that is still needed by the next node. Without addresses nobody can know it.
 */
#ifndef STROBE_PASSES_STATE_BLOCKS_H
#define STROBE_PASSES_STATE_BLOCKS_H

#include "memory-event.h"

typedef struct StateBlocks StateBlocks;

StateBlocks *state_blocks_new(void);
void state_blocks_free(StateBlocks *states);

/* What a state says happened: an allocation (the event's size is set then; give the block to
 * state_blocks_add), a release or a release of the block (of *block, NULL: one that was there
 * before), MEMORY_FIRST: an allocation from nothing if its release comes (make the block, unsure,
 * and give it to state_blocks_add), or MEMORY_STATE: nothing that can be told. */
guint32 state_blocks_take(StateBlocks *states, MemoryEvent *event, MemoryBlock **block);
void state_blocks_add(StateBlocks *states, MemoryBlock *block); /* lent, until both are known */
/* The totals count, nothing else: an event of its own tells the rest. */
void state_blocks_skip(StateBlocks *states, const MemoryEvent *event);

#endif
