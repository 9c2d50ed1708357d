/* SPDX-License-Identifier: Apache-2.0 */
#include "pool-salvage.h"

#include <string.h>
#include "capture-writer.h"

/* Reads the two times of a record. For an instant, times[1] is the word after its begin, which need
 * not be a time. */
static void times_of(const struct pool_block *block, const guint64 words[3], guint64 times[2])
{
    guint32 n = (guint32)(words[0] & STROBE_RECORD_WORDS_MASK);

    times[0] = words[1];
    times[1] = n > 2 ? words[2] : 0;
    if (words[0] & STROBE_RECORD_SHORT_TIMES) {
        times[0] = strobe_short_begin(block->base, words[1]);
        times[1] = strobe_short_end(block->base, words[1]);
    }
}

/* Returns the latest time in the committed bytes [from, to), which is a lower bound of the window's
 * end. */
static guint64 latest_in(const struct pool_block *block, guint32 from, guint32 to, guint64 latest,
                         guint64 limit)
{
    const char *base = (const char *)(block + 1);

    while (from + 16 <= to) {
        guint64 words[3] = {0}, times[2];
        memcpy(words, base + from, MIN(to - from, sizeof words));
        guint32 bytes = (guint32)(words[0] & STROBE_RECORD_WORDS_MASK) * 8;
        if (bytes == 0)
            break;
        if (strobe_record_kind(words[0]) != STROBE_KIND_STRING) {
            times_of(block, words, times);
            for (int i = 0; i < 2; i++)
                if (times[i] > latest && times[i] < limit)
                    latest = times[i];
        }
        from += bytes;
    }
    return latest;
}

/* Returns the latest of `latest` and the begins of the open spans that are before `limit`. A span
 * may have begun after the last committed record. */
static guint64 latest_open(const struct pool_header *pool, guint32 window, guint64 latest,
                           guint64 limit)
{
    for (guint32 i = 0; i < pool->n_thread_buffers; i++) {
        const struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(pool, i);
        guint32 depth = MIN(atomic_load(&thread_buffer->depth), STROBE_POOL_SPANS);
        if (atomic_load(&thread_buffer->window) != window)
            continue;
        for (guint32 k = 0; k < depth; k++)
            if (atomic_load(&thread_buffer->spans[k].begin) > latest &&
                atomic_load(&thread_buffer->spans[k].begin) < limit)
                latest = atomic_load(&thread_buffer->spans[k].begin);
    }
    return latest;
}

/* Orders blocks by thread buffer, and then by the order in which they were filled. */
static int compare_blocks(gconstpointer a, gconstpointer b)
{
    const struct pool_block *x = *(struct pool_block *const *)a;
    const struct pool_block *y = *(struct pool_block *const *)b;

    if (x->thread_buffer != y->thread_buffer)
        return x->thread_buffer < y->thread_buffer ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Does the block belong to a part of the ring that was already overwritten? Blocks leave the ring
 * oldest first. A thread may have
 * died after it removed blocks and before it recorded that in `recycled`; if another thread has
 * recorded a newer block of the same thread buffer, then these blocks are overwritten too. */
static gboolean is_overwritten(const struct pool_header *pool, const struct pool_block *block)
{
    return block->sequence <= atomic_load(&strobe_pool_thread_buffer(
                                               pool, block->thread_buffer % pool->n_thread_buffers)
                                               ->recycled);
}

static guint32 used_of(const struct pool_block *block)
{
    return MIN(atomic_load(&block->used), STROBE_BLOCK_DATA);
}

/* Reads the last record of a block; FALSE if the block has no record. */
static gboolean last_record(const struct pool_block *block, guint64 words[2])
{
    const char *base = (const char *)(block + 1);
    guint32 used = used_of(block), at = 0, last = used;

    while (at + 16 <= used) {
        memcpy(words, base + at, 16);
        guint32 bytes = (guint32)(words[0] & STROBE_RECORD_WORDS_MASK) * 8;
        if (bytes == 0 || bytes > used - at)
            break;
        last = at;
        at += bytes;
    }
    if (last < used)
        memcpy(words, base + last, 16);
    return last < used;
}

/* If the last record of the block describes a span that is still on the stack, removes that span
 * from the stack: the end of a span first writes the record and then takes the span from the stack,
 * and the program may have died between these two steps. The span need not be on top of the stack:
 * above it may be async spans that have ended but whose entries are still there, or open async
 * spans that another thread was to end. */
static void drop_recorded_span(struct pool_thread_buffer *thread_buffer,
                               const struct pool_block *block)
{
    guint64 words[2];

    if (!last_record(block, words) || !(words[0] & STROBE_RECORD_UNFINISHED))
        return;
    for (guint32 i = MIN(atomic_load(&thread_buffer->depth), STROBE_POOL_SPANS); i-- > 0;)
        if (words[1] && words[1] == atomic_load(&thread_buffer->spans[i].begin)) {
            atomic_store(&thread_buffer->spans[i].begin, 0);
            return;
        }
}

/* Calls drop_recorded_span for the last filled block of each thread buffer that is in this
 * window. */
static void drop_recorded_spans(StrobePoolSalvage *left, struct pool_header *pool)
{
    for (guint i = 0; i < left->blocks->len; i++) {
        const struct pool_block *block = g_ptr_array_index(left->blocks, i);
        const struct pool_block *next =
            i + 1 < left->blocks->len ? g_ptr_array_index(left->blocks, i + 1) : NULL;
        struct pool_thread_buffer *thread_buffer =
            strobe_pool_thread_buffer(pool, block->thread_buffer % pool->n_thread_buffers);
        if ((!next || next->thread_buffer != block->thread_buffer) &&
            atomic_load(&thread_buffer->window) == left->window)
            drop_recorded_span(thread_buffer, block);
    }
}

StrobePoolSalvage *strobe_pool_salvage_new(struct pool_header *pool, guint32 window)
{
    StrobePoolSalvage *left = g_new0(StrobePoolSalvage, 1);

    left->window = window;
    left->blocks = g_ptr_array_new();
    for (guint32 i = 0; i < pool->n_blocks; i++) {
        struct pool_block *block = strobe_pool_block(pool, i);
        /* read once, because the program may still run and change it */
        guint32 thread_buffer = block->thread_buffer;
        if (!atomic_load(&block->owned) || block->window != window ||
            thread_buffer >= pool->n_thread_buffers)
            continue;
        if (is_overwritten(pool, block))
            left->overwritten[thread_buffer] += strobe_pool_count_records(block, 0, used_of(block));
        else
            g_ptr_array_add(left->blocks, block);
    }
    g_ptr_array_sort(left->blocks, compare_blocks);
    drop_recorded_spans(left, pool);
    return left;
}

void strobe_pool_salvage_free(StrobePoolSalvage *left)
{
    g_ptr_array_unref(left->blocks);
    g_free(left);
}

guint64 strobe_pool_salvage_latest(const StrobePoolSalvage *left, const struct pool_header *pool,
                                   guint64 latest, guint64 limit)
{
    latest = latest_open(pool, left->window, latest, limit);
    for (guint i = 0; i < left->blocks->len; i++) {
        const struct pool_block *block = g_ptr_array_index(left->blocks, i);
        latest = latest_in(block, 0, used_of(block), latest, limit);
    }
    return latest;
}
