/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of an allocator for which only totals are known, such as the framework's in a database.
 * A total that grows allocates a block, and one that shrinks releases a block of that size.
 *
 * Of several blocks of one size the youngest is taken, except one that the same node of the
 * backward graph made: the next node still needs it. Without addresses the right block cannot be
 * known.
 */
#ifndef STROBE_PASSES_STATE_BLOCKS_H
#define STROBE_PASSES_STATE_BLOCKS_H

#include "memory-event.h"

typedef struct StateBlocks StateBlocks;

StateBlocks *state_blocks_new(void);
void state_blocks_free(StateBlocks *states);

/* Determines which event a state stands for: an allocation (the event's size is then set; pass the
 * block to state_blocks_add), a release or a release of the block (of *block, NULL: it existed
 * before), MEMORY_FIRST: an allocation from nothing if its release comes (make the block, unsure,
 * and pass it to state_blocks_add), or MEMORY_STATE: unknown. */
guint32 state_blocks_take(StateBlocks *states, MemoryEvent *event, MemoryBlock **block);
/* the caller keeps the block, until both releases are known */
void state_blocks_add(StateBlocks *states, MemoryBlock *block);
/* Uses only the totals, because a separate event has all other data. */
void state_blocks_skip(StateBlocks *states, const MemoryEvent *event);

#endif
