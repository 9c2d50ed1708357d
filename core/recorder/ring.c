/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"

#include <string.h>
#include <unistd.h>
#include "testpoint.h"

/* Number of blocks that a thread buffer takes from the ring at once, so that it takes the lock less
 * often. */
#define BATCH 4
/* Number of further attempts to take a block while another thread has the lock. Together they take
 * no longer than that thread needs for one step. */
#define TRIES 64
/* Number of attempts of the writer to get the lock, and the pause between them: a thread buffer
 * needs some hundred ns for a step. */
#define LOCK_TRIES 200
#define LOCK_NAP_US 50
/* Parts of `head`: the position in the low bits; above it the turn, a counter of the begins and
 * ends of dumps. */
#define POSITION ((UINT64_C(1) << 48) - 1)
#define TURN (UINT64_C(1) << 48)

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int try_lock(StrobeRing *ring, uint32_t who)
{
    uint32_t idle = 0;
    return atomic_compare_exchange_strong_explicit(&ring->busy, &idle, who, memory_order_acquire,
                                                   memory_order_relaxed);
}

static void unlock_ring(StrobeRing *ring)
{
    atomic_store_explicit(&ring->busy, 0, memory_order_release);
}

/* Takes the lock for the writer. The writer waits for a thread that has the lock; no thread ever
 * waits for the writer. The wait is short, because a thread may be stopped, or may have ended with
 * its program, while it has the lock. */
static int lock_ring(StrobeRing *ring)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (try_lock(ring, STROBE_RING_WRITER))
            return 1;
        usleep(LOCK_NAP_US);
    }
    return 0;
}

static void collect_blocks(StrobeRing *ring, struct pool_header *pool)
{
    uint32_t i = strobe_pool_take_full(pool);
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    for (uint32_t n = 0; i < pool->n_blocks && n < pool->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(pool, i);
        uint32_t next = block->next;
        if (block->window == atomic_load_explicit(&ring->window, memory_order_relaxed))
            atomic_store_explicit(&ring->order[tail++ % pool->n_blocks], i, memory_order_relaxed);
        else
            strobe_pool_give(pool, block);
        i = next;
    }
    atomic_store_explicit(&ring->tail, tail, memory_order_release);
}

/* Returns the number of blocks, at most `max`, that may be taken at `head` so that at least `least`
 * blocks stay. */
static unsigned count_takable(StrobeRing *ring, uint64_t head, uint64_t least, unsigned max)
{
    uint64_t position = head & POSITION;
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    uint64_t end = tail > least ? tail - least : 0;
    uint64_t pinned = head & TURN ? atomic_load(&ring->pinned) : UINT64_MAX;

    if (end > pinned)
        end = pinned;
    if (end <= position)
        return 0;
    return end - position < max ? (unsigned)(end - position) : max;
}

/* Removes up to `max` of the oldest blocks from the ring, so that at least `least` blocks stay. The
 * caller then owns the removed blocks and must count their records as lost. */
static unsigned pop_blocks(StrobeRing *ring, uint64_t least, struct pool_block **blocks,
                           unsigned max, struct pool_header *pool)
{
    uint64_t head;
    unsigned n;

    atomic_fetch_add(&ring->n_counting, 1);
    head = atomic_load(&ring->head);
    do {
        n = count_takable(ring, head, least, max);
        for (unsigned i = 0; i < n; i++)
            blocks[i] =
                strobe_pool_block(pool, strobe_ring_block(ring, pool, (head & POSITION) + i));
    } while (n && !atomic_compare_exchange_weak(&ring->head, &head, head + n));
    if (n == 0)
        atomic_fetch_sub(&ring->n_counting, 1);
    return n;
}

static void raise_to(_Atomic uint64_t *value, uint64_t least)
{
    uint64_t old = atomic_load_explicit(value, memory_order_relaxed);

    while (old < least && !atomic_compare_exchange_weak_explicit(
                              value, &old, least, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void count_overwritten(StrobeRing *ring, struct pool_block *const *blocks, unsigned n,
                              struct pool_header *pool)
{
    for (unsigned i = 0; i < n; i++) {
        struct pool_block *block = blocks[i];
        struct pool_thread_buffer *thread_buffer =
            strobe_pool_thread_buffer(pool, block->thread_buffer % pool->n_thread_buffers);
        uint32_t used = strobe_pool_used(block); /* checked: the program may write any value */
        /* `recycled` is stored first, because recovery needs it. */
        raise_to(&thread_buffer->recycled, block->sequence);
        raise_to(&thread_buffer->overwritten_until, block->full_at);
        atomic_fetch_add_explicit(&thread_buffer->lost[STROBE_LOSS_OVERWRITTEN],
                                  strobe_pool_count_records(block, 0, used), memory_order_relaxed);
        atomic_store_explicit(&block->owned, 0, memory_order_release);
    }
    if (n)
        atomic_fetch_sub(&ring->n_counting, 1);
}

void strobe_ring_abandon(StrobeRing *ring, uint32_t who)
{
    if (atomic_load_explicit(&ring->busy, memory_order_relaxed) == who)
        unlock_ring(ring);
}

struct pool_block *strobe_ring_take(StrobeRing *ring, struct pool_header *pool, uint32_t who)
{
    /* If there are few blocks, one thread takes only one. */
    unsigned max = pool->n_blocks / 8 > BATCH ? BATCH : 1;
    struct pool_block *blocks[BATCH];
    unsigned n;

    if (try_lock(ring, who)) {
        STROBE_TESTPOINT("ring-locked");
        collect_blocks(ring, pool);
        unlock_ring(ring);
    }
    /* The thread that has the lock may still be adding full blocks, which takes some hundred ns. */
    n = pop_blocks(ring, 0, blocks, max, pool);
    for (int i = 0; n == 0 && i < TRIES && atomic_load(&ring->busy); i++) {
        pause_processor();
        n = pop_blocks(ring, 0, blocks, max, pool);
    }
    if (n == 0)
        return strobe_pool_take(pool);
    STROBE_TESTPOINT("ring-popped");
    count_overwritten(ring, blocks, n, pool);
    STROBE_TESTPOINT("ring-counted");
    for (unsigned i = 1; i < n; i++)
        strobe_pool_give(pool, blocks[i]);
    return blocks[0];
}

uint32_t strobe_ring_tidy(StrobeRing *ring, struct pool_header *pool)
{
    struct pool_block *blocks[BATCH];
    uint32_t freed = 0;
    unsigned n;

    do { /* frees at most as many blocks as exist, because the program may write any number */
        if (!lock_ring(ring))
            break;
        STROBE_TESTPOINT("ring-tidying");
        collect_blocks(ring, pool);
        unlock_ring(ring);
        n = pop_blocks(ring, pool->n_blocks - pool->n_blocks / 8, blocks, BATCH, pool);
        STROBE_TESTPOINT("ring-tidied");
        count_overwritten(ring, blocks, n, pool);
        for (unsigned i = 0; i < n; i++)
            strobe_pool_give(pool, blocks[i]);
        freed += n;
    } while (n == BATCH && freed < pool->n_blocks);
    return freed;
}

void strobe_ring_pin(StrobeRing *ring)
{
    uint64_t head = atomic_load(&ring->head);

    atomic_store(&ring->pinned, 0);
    while (!atomic_compare_exchange_weak(&ring->head, &head, head + TURN))
        ;
    atomic_store(&ring->pinned, head & POSITION);
    /* Waits until the records of blocks that threads have just removed are counted as lost. */
    for (int i = 0; i < 10000 && atomic_load(&ring->n_counting); i++)
        usleep(100);
}

void strobe_ring_collect(StrobeRing *ring, struct pool_header *pool, uint64_t *from, uint64_t *to)
{
    if (lock_ring(ring)) {
        collect_blocks(ring, pool);
        unlock_ring(ring);
    }
    *from = atomic_load(&ring->head) & POSITION;
    *to = atomic_load(&ring->tail);
    if (*to - *from > pool->n_blocks) /* a correct program never writes this */
        *from = *to;
}

void strobe_ring_unpin(StrobeRing *ring, uint64_t position)
{
    atomic_store(&ring->pinned, position + 1);
}

void strobe_ring_unpin_all(StrobeRing *ring)
{
    uint64_t head = atomic_load(&ring->head);

    while ((head & TURN) && !atomic_compare_exchange_weak(&ring->head, &head, head + TURN))
        ;
}

void strobe_ring_empty(StrobeRing *ring, struct pool_header *pool)
{
    struct pool_block *block;

    if (lock_ring(ring)) {
        collect_blocks(ring, pool);
        unlock_ring(ring);
    }
    for (uint32_t i = 0; i < pool->n_blocks && pop_blocks(ring, 0, &block, 1, pool); i++) {
        strobe_pool_give(pool, block);
        atomic_fetch_sub(&ring->n_counting, 1);
    }
}
