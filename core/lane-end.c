/* SPDX-License-Identifier: Apache-2.0 */
#include "lane-end.h"

#include <string.h>
#include <time.h>
#include "lane.h"
#include "span-names.h"
#include "testpoint.h"

/* How often, at 100 us, a free block is looked for: the writer thread frees some all the time. */
#define PATIENCE 100

static struct pool_block *find_block(struct pool_header *pool, StrobeRing *ring)
{
    const struct timespec nap = {0, 100000};
    struct pool_block *block = strobe_pool_take(pool);

    for (int i = 0; !block && i < PATIENCE; i++) {
        block = ring ? strobe_ring_take(ring, pool) : strobe_pool_take(pool);
        if (!block)
            nanosleep(&nap, NULL);
    }
    return block;
}

static void hand_over(struct pool_header *pool, struct pool_lane *lane)
{
    uint32_t index = atomic_load(&lane->block);

    atomic_store(&lane->block, STROBE_NO_BLOCK);
    if (index >= pool->n_blocks)
        return;
    struct pool_block *block = strobe_pool_block(pool, index);
    block->full_at = strobe_clock_now();
    strobe_pool_push_full(pool, block);
}

/* The lane's block if it has room for that many bytes, else a new one. */
static struct pool_block *block_with_room(struct pool_header *pool, uint32_t index, uint32_t window,
                                          StrobeRing *ring, uint32_t bytes)
{
    struct pool_lane *lane = strobe_pool_lane(pool, index);
    uint32_t held = atomic_load(&lane->block);

    if (held < pool->n_blocks) {
        struct pool_block *block = strobe_pool_block(pool, held);
        if (atomic_load(&block->used) + bytes <= STROBE_BLOCK_DATA)
            return block;
        hand_over(pool, lane);
    }
    struct pool_block *block = find_block(pool, ring);
    if (block) {
        strobe_pool_begin_block(block, index, ++lane->sequence, atomic_load(&lane->track), window);
        atomic_store(&lane->block, strobe_pool_index(pool, block));
    }
    return block;
}

static void leave_spans(struct pool_header *pool, uint32_t index, uint32_t window, uint64_t end,
                        StrobeRing *ring)
{
    struct pool_lane *lane = strobe_pool_lane(pool, index);
    uint32_t depth = atomic_load(&lane->depth);
    uint32_t track = atomic_load(&lane->track);

    if (depth > STROBE_POOL_SPANS) /* counted as lost */
        depth = STROBE_POOL_SPANS;
    for (; depth > 0; depth--) { /* innermost first, as spans end */
        uint64_t record[STROBE_UNFINISHED_WORDS_MAX];
        uint32_t bytes = 8 * strobe_unfinished_words(lane, &lane->spans[depth - 1], track, end,
                                                     strobe_pool_beside_id(pool), record);
        struct pool_block *block = block_with_room(pool, index, window, ring, bytes);
        if (!block) {
            atomic_fetch_add(&lane->lost[STROBE_LOSS_POOL_EMPTY], depth);
            break;
        }
        uint32_t used = atomic_load(&block->used);
        memcpy((char *)(block + 1) + used, record, bytes);
        atomic_store(&block->used, used + bytes);
        STROBE_TESTPOINT("span-kept");
        atomic_store(&lane->depth, depth - 1);
    }
    atomic_store(&lane->depth, 0);
}

void strobe_lanes_end(struct pool_header *pool, uint32_t window, uint64_t end, StrobeRing *ring)
{
    for (uint32_t i = 0; i < pool->n_lanes; i++) {
        struct pool_lane *lane = strobe_pool_lane(pool, i);
        if (strobe_lane_is_busy(i) || atomic_load(&lane->window) != window)
            continue;
        leave_spans(pool, i, window, end, ring);
        hand_over(pool, lane);
    }
}
