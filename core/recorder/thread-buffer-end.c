/* SPDX-License-Identifier: Apache-2.0 */
#include "thread-buffer-end.h"

#include <string.h>
#include <time.h>
#include "thread-buffer.h"
#include "span-names.h"
#include "testpoint.h"

/* Number of waits of 100 us for a free block, for all thread buffers together. Meanwhile the writer
 * frees blocks. */
#define PATIENCE 100

struct thread_buffers_end {
    struct pool_header *pool;
    StrobeRing *ring; /* NULL: the policy is not ring */
    uint32_t window;
    uint64_t end;
    int patience; /* number of remaining waits */
};

static struct pool_block *find_block(struct thread_buffers_end *e)
{
    const struct timespec nap = {0, 100000};
    struct pool_block *block = strobe_pool_take(e->pool);

    for (; !block && e->patience; e->patience--) {
        block = e->ring ? strobe_ring_take(e->ring, e->pool, STROBE_RING_CONTROL)
                        : strobe_pool_take(e->pool);
        if (!block)
            nanosleep(&nap, NULL);
    }
    return block;
}

static void hand_over(struct pool_header *pool, struct pool_thread_buffer *thread_buffer)
{
    uint32_t index = atomic_load(&thread_buffer->block);

    atomic_store(&thread_buffer->block, STROBE_NO_BLOCK);
    if (index >= pool->n_blocks)
        return;
    struct pool_block *block = strobe_pool_block(pool, index);
    block->full_at = strobe_clock_now();
    strobe_pool_push_full(pool, block);
}

/* Returns the thread buffer's block if that block has room for `bytes`, otherwise a new block. */
static struct pool_block *block_with_room(struct thread_buffers_end *e, uint32_t index,
                                          uint32_t bytes)
{
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(e->pool, index);
    uint32_t held = atomic_load(&thread_buffer->block);

    if (held < e->pool->n_blocks) {
        struct pool_block *block = strobe_pool_block(e->pool, held);
        if (strobe_pool_used(block) + bytes <= STROBE_BLOCK_DATA)
            return block;
        hand_over(e->pool, thread_buffer);
    }
    struct pool_block *block = find_block(e);
    if (block) {
        strobe_pool_begin_block(block, index, ++thread_buffer->sequence,
                                atomic_load(&thread_buffer->track), e->window);
        atomic_store(&thread_buffer->block, strobe_pool_index(e->pool, block));
    }
    return block;
}

static uint32_t count_open(const struct pool_thread_buffer *thread_buffer, uint32_t depth)
{
    uint32_t n = 0;

    while (depth-- > 0)
        n += atomic_load(&thread_buffer->spans[depth].begin) != 0;
    return n;
}

static void leave_spans(struct thread_buffers_end *e, uint32_t index)
{
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(e->pool, index);
    uint32_t depth = atomic_load(&thread_buffer->depth);
    uint32_t track = atomic_load(&thread_buffer->track);

    if (depth > STROBE_POOL_SPANS) /* deeper spans are counted as lost */
        depth = STROBE_POOL_SPANS;
    for (; depth > 0; depth--) { /* innermost first, as spans end */
        uint64_t record[STROBE_UNFINISHED_WORDS_MAX];
        uint32_t bytes =
            8 * strobe_unfinished_words(thread_buffer, &thread_buffer->spans[depth - 1], track,
                                        e->end, strobe_pool_inline_id(e->pool), record);
        if (!bytes) /* an async span that has ended */
            continue;
        struct pool_block *block = block_with_room(e, index, bytes);
        if (!block) {
            atomic_fetch_add(&thread_buffer->lost[STROBE_LOSS_POOL_EMPTY],
                             count_open(thread_buffer, depth));
            break;
        }
        uint32_t used = strobe_pool_used(block);
        if (bytes > STROBE_BLOCK_DATA - used) /* a correct program never writes this */
            break;
        memcpy((char *)(block + 1) + used, record, bytes);
        atomic_store(&block->used, used + bytes);
        STROBE_TESTPOINT("span-kept");
        atomic_store(&thread_buffer->depth, depth - 1);
    }
    atomic_store(&thread_buffer->depth, 0);
}

static void end_thread_buffer(struct thread_buffers_end *e, uint32_t index)
{
    struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(e->pool, index);

    if (atomic_load(&thread_buffer->window) == e->window)
        leave_spans(e, index);
    /* The block of a thread that was stuck when an earlier window ended contains no record of this
     * window; it is only handed over, which frees it. */
    hand_over(e->pool, thread_buffer);
}

void strobe_thread_buffers_end(struct pool_header *pool, uint32_t window, uint64_t end,
                               StrobeRing *ring)
{
    struct thread_buffers_end e = {pool, ring, window, end, PATIENCE};

    for (uint32_t i = 0; i < pool->n_thread_buffers; i++)
        if (strobe_thread_buffer_is_own(i) && !strobe_thread_buffer_is_stuck(i))
            end_thread_buffer(&e, i);
}
