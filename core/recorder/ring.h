/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a flight recorder: full blocks in the order in which they were handed over. When
 * there is no free block, the oldest full block is reused. Nothing is written until a dump is
 * requested.
 *
 * A try-lock guards the end at which full blocks are added. The end with the oldest blocks has no
 * lock, so that a thread can take a block while the thread that has the lock is not running: `head`
 * is moved by compare and swap. The upper bits of `head` count the begins and ends of dumps, so
 * that a swap based on an earlier state fails. The writer keeps enough blocks free that threads
 * rarely need the ring. The ring is in the pool. libc only.
 */
#ifndef STROBE_CORE_RING_H
#define STROBE_CORE_RING_H

#include "pool.h"

/* Takes the oldest block of the ring, for a thread buffer that found no free block; NULL if a dump
 * needs that block. Any thread; no lock, no wait. `who`, not 0, identifies the caller. */
struct pool_block *strobe_ring_take(StrobeRing *ring, struct pool_header *pool, uint32_t who);
/* Call this if a signal handler ended a call of strobe_ring_take: releases the lock if `who` has
 * it. */
void strobe_ring_abandon(StrobeRing *ring, uint32_t who);

#define STROBE_RING_CONTROL (UINT32_MAX - 1) /* the control thread */
#define STROBE_RING_WRITER UINT32_MAX        /* the writer */

/* ---- calls of the writer ---- */

/* Adds the blocks that thread buffers have handed over, and frees the oldest blocks above seven
 * eighths of the pool; returns their number. */
uint32_t strobe_ring_tidy(StrobeRing *ring, struct pool_header *pool);

/* strobe_ring_pin prevents the reuse of all blocks. strobe_ring_collect returns the positions
 * [*from, *to) of the full blocks. Unpin each block in order when it is written, or all blocks at
 * once. */
void strobe_ring_pin(StrobeRing *ring);
void strobe_ring_collect(StrobeRing *ring, struct pool_header *pool, uint64_t *from, uint64_t *to);
void strobe_ring_unpin(StrobeRing *ring, uint64_t position);
void strobe_ring_unpin_all(StrobeRing *ring);

/* Returns the index of the block at a position; always less than the pool's number of blocks. */
static inline uint32_t strobe_ring_block(const StrobeRing *ring, const struct pool_header *pool,
                                         uint64_t position)
{
    return atomic_load_explicit(&ring->order[position % pool->n_blocks], memory_order_relaxed) %
           pool->n_blocks;
}

/* Frees every block, at the end of a window. */
void strobe_ring_empty(StrobeRing *ring, struct pool_header *pool);

#endif
