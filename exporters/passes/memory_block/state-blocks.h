/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the blocks of an allocator for which only totals are known, such as the framework's in a
 * database. If a total grows, a block is allocated; if it shrinks, a block of this size is
 * released. Without addresses the right one of several blocks of the same size cannot be known. The
 * youngest is used, except if the same node of the backward graph allocated it: the next node still
 * needs that block.
 */
#ifndef STROBE_PASSES_STATE_BLOCKS_H
#define STROBE_PASSES_STATE_BLOCKS_H

#include "memory-event.h"

typedef struct StateBlocks StateBlocks;

StateBlocks *state_blocks_new(void);
void state_blocks_free(StateBlocks *states);

/* Determines which event a state stands for. An allocation: sets the event's size; pass the new
 * block to state_blocks_add. A release or a release of the block: sets *block (NULL: it existed
 * before). MEMORY_FIRST: an allocation if its release comes; set is_unsure in the new block and
 * pass it to state_blocks_add. MEMORY_STATE: not known. */
guint32 state_blocks_take(StateBlocks *states, MemoryEvent *event, MemoryBlock **block);
/* Adds a block, which the caller keeps until both of its releases are known. */
void state_blocks_add(StateBlocks *states, MemoryBlock *block);
/* Notes only the totals of an event, because another event has the details. */
void state_blocks_skip(StateBlocks *states, const MemoryEvent *event);

#endif
