/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of a flight recorder: full blocks in the order in which they were handed over, of which
 * the oldest are used again when no free one is left. Nothing is written until somebody asks.
 *
 * A try-lock guards it: a thread that finds it taken goes on without a block (and counts a loss)
 * rather than wait. The writer thread keeps so many blocks free that lanes rarely come here.
 * libc only.
 */
#ifndef STROBE_CORE_RING_H
#define STROBE_CORE_RING_H

#include "pool.h"

typedef struct StrobeRing {
    _Atomic uint32_t busy; /* who is at it, see strobe_ring_take; 0: nobody */
    uint32_t size;
    uint32_t *order; /* indexes of blocks; positions count up, modulo size */
    uint64_t head, tail;
    _Atomic uint64_t pinned;     /* first position that a dump still needs, UINT64_MAX: no dump */
    _Atomic uint32_t n_counting; /* threads that count what was in blocks they took out */
    _Atomic uint32_t window; /* that records: blocks of others come from threads that were stuck */
} StrobeRing;

/* Room for all blocks of a pool. Returns 0 or ENOMEM. */
int strobe_ring_init(StrobeRing *ring, uint32_t n_blocks);
void strobe_ring_clear(StrobeRing *ring);

/* A block for a lane that found none free: the oldest of the ring; NULL when a dump needs it or
 * somebody else is at it. Any thread; no lock, no wait. `who` is not 0 and nobody else's. */
struct pool_block *strobe_ring_take(StrobeRing *ring, struct pool_header *pool, uint32_t who);
/* That thread ended in the midst of it, by a signal handler: others must not wait for it. */
void strobe_ring_abandon(StrobeRing *ring, uint32_t who);

#define STROBE_RING_CONTROL (UINT32_MAX - 1) /* the control thread */
#define STROBE_RING_WRITER UINT32_MAX        /* the writer thread */

/* ---- the writer thread's ---- */

/* Takes over what lanes have handed over, and frees the oldest blocks beyond seven eighths of the
 * pool; returns how many. */
uint32_t strobe_ring_tidy(StrobeRing *ring, struct pool_header *pool);

/* Keeps every block from being used again, then strobe_ring_collect() gives the positions
 * [*from, *to) of those that are full. Unpin each as it is done with, in order; or all. */
void strobe_ring_pin(StrobeRing *ring);
void strobe_ring_collect(StrobeRing *ring, struct pool_header *pool, uint64_t *from, uint64_t *to);
void strobe_ring_unpin(StrobeRing *ring, uint64_t position);
void strobe_ring_unpin_all(StrobeRing *ring);

static inline uint32_t strobe_ring_block(const StrobeRing *ring, uint64_t position)
{
    return ring->order[position % ring->size];
}

/* Gives every block back, at the end of a window. */
void strobe_ring_empty(StrobeRing *ring, struct pool_header *pool);

#endif
