/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a flight recorder: full blocks in the order in which they were handed over, of which
 * the oldest are used again when no free one is left. Nothing is written until somebody asks.
 *
 * A try-lock guards the end at which full blocks come in. The other end has none, so that a thread
 * finds a block there though whoever has the lock was put aside by the scheduler: `head` is moved
 * by compare and swap, and counts in its upper bits the times that a dump began or ended, so that
 * nobody takes a block by what held before. The writer keeps so many blocks free that thread
 * buffers rarely come here. It lies in the pool. libc only.
 */
#ifndef STROBE_CORE_RING_H
#define STROBE_CORE_RING_H

#include "pool.h"

/* A block for a thread buffer that found none free: the oldest of the ring; NULL when a dump needs
 * it. Any thread; no lock, no wait. `who` is not 0 and nobody else's. */
struct pool_block *strobe_ring_take(StrobeRing *ring, struct pool_header *pool, uint32_t who);
/* That thread ended in the midst of it, by a signal handler: others must not wait for it. */
void strobe_ring_abandon(StrobeRing *ring, uint32_t who);

#define STROBE_RING_CONTROL (UINT32_MAX - 1) /* the control thread */
#define STROBE_RING_WRITER UINT32_MAX        /* the writer */

/* ---- the writer's ---- */

/* Takes over what thread buffers have handed over, and frees the oldest blocks beyond seven eighths
 * of the pool; returns how many. */
uint32_t strobe_ring_tidy(StrobeRing *ring, struct pool_header *pool);

/* Keeps every block from being used again, then strobe_ring_collect() gives the positions
 * [*from, *to) of those that are full. Unpin each as it is done with, in order; or all. */
void strobe_ring_pin(StrobeRing *ring);
void strobe_ring_collect(StrobeRing *ring, struct pool_header *pool, uint64_t *from, uint64_t *to);
void strobe_ring_unpin(StrobeRing *ring, uint64_t position);
void strobe_ring_unpin_all(StrobeRing *ring);

/* The index of a block; in any case one that there is. */
static inline uint32_t strobe_ring_block(const StrobeRing *ring, const struct pool_header *pool,
                                         uint64_t position)
{
    return atomic_load_explicit(&ring->order[position % pool->n_blocks], memory_order_relaxed) %
           pool->n_blocks;
}

/* Gives every block back, at the end of a window. */
void strobe_ring_empty(StrobeRing *ring, struct pool_header *pool);

#endif
