/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Derives the blocks of an allocator for which only totals are known, for example of the
 * framework's allocator in a database. If a total grows, a block is allocated; if it shrinks, a
 * block of this size is released. Totals do not say which of several blocks of the same size is
 * released. The youngest one is used, except if the node of the backward graph that runs has
 * allocated it: the next node still needs this block.
 */
#ifndef STROBE_PASSES_STATE_BLOCKS_H
#define STROBE_PASSES_STATE_BLOCKS_H

#include "memory-event.h"

typedef struct StateBlocks StateBlocks;

StateBlocks *state_blocks_new(void);
void state_blocks_free(StateBlocks *states);

/* Determines which event led to the totals of a state, and returns its type. An allocation: sets
 * the size of `event`; the caller must pass the new block to state_blocks_add. A release or a
 * release of the block: sets *block (NULL: the block existed before). MEMORY_FIRST: this is an
 * allocation only if its release comes; the caller must set is_unsure in the new block and pass it
 * to state_blocks_add. MEMORY_STATE: the event is unknown. */
guint32 state_blocks_take(StateBlocks *states, MemoryEvent *event, MemoryBlock **block);
/* Adds a block. The caller must keep the block until both of its releases are known. */
void state_blocks_add(StateBlocks *states, MemoryBlock *block);
/* Stores the totals of an event but derives nothing from them, because another event has the
 * details. */
void state_blocks_skip(StateBlocks *states, const MemoryEvent *event);

#endif
