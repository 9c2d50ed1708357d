/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the data of a window in the right order. */
#include <errno.h>
#include <unistd.h>
#include "writer-loop.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "testpoint.h"
#include "track-table.h"

/* Maximum time for which full blocks wait; the shorter time is used if the pool was filling up. */
#define POLL_NS 10000000
#define BUSY_POLL_NS 500000

void strobe_flush_remember(StrobeWriterLoop *d, int error)
{
    uint32_t none = 0;

    if (error)
        atomic_compare_exchange_strong(&strobe_writer_loop_place(d)->error, &none, (uint32_t)error);
    d->is_whole &= error == 0;
}

/* Appends [flushed, used) of a block; counts the records that cannot be written. */
static void write_block(StrobeWriterLoop *d, struct pool_block *block, uint32_t used)
{
    uint32_t from = atomic_load_explicit(&block->flushed, memory_order_relaxed);

    if (block->window != d->window.number)
        d->is_whole = 0;
    if (used <= from || block->window != d->window.number)
        return;
    /* Records whose definitions could not be written are counted as lost: a reader would drop them
     * without counting them. */
    int error = d->window.undefined
                    ? d->window.undefined
                    : strobe_capture_write_records(&d->window.writer, block, from, used);
    if (error) {
        strobe_flush_remember(d, error);
        atomic_fetch_add(&d->pool->lost[STROBE_LOSS_DISK_FULL],
                         strobe_pool_count_records(block, from, used));
    }
    STROBE_TESTPOINT("block-written");
    atomic_store_explicit(&block->flushed, used, memory_order_release);
}

/* Stores which bytes of partly filled blocks this cycle writes. Called before the definitions are
 * written, so that these include every id in the bytes. */
void strobe_flush_note_partial(StrobeWriterLoop *d)
{
    for (uint32_t i = 0; i < d->pool->n_thread_buffers; i++) {
        struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(d->pool, i);
        uint32_t index = atomic_load_explicit(&thread_buffer->block, memory_order_acquire);
        d->partial[i].block = index;
        if (index < d->pool->n_blocks)
            d->partial[i].used = strobe_pool_used(strobe_pool_block(d->pool, index));
        else if (atomic_load(&thread_buffer->is_handing_over))
            d->is_whole = 0; /* the thread is moving its block to the queue */
    }
}

static void write_partial(StrobeWriterLoop *d)
{
    for (uint32_t i = 0; i < d->pool->n_thread_buffers; i++)
        if (d->partial[i].block < d->pool->n_blocks)
            write_block(d, strobe_pool_block(d->pool, d->partial[i].block), d->partial[i].used);
}

static void write_full(StrobeWriterLoop *d, uint32_t index)
{
    for (uint32_t n = 0; index < d->pool->n_blocks && n < d->pool->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(d->pool, index);
        index = block->next;
        write_block(d, block, strobe_pool_used(block));
    }
}

/* Takes the blocks that were handed over, oldest first, because a thread buffer's blocks must be
 * written in their order. */
static uint32_t take_full(StrobeWriterLoop *d)
{
    uint32_t taken = strobe_pool_take_full(d->pool), first = d->deferred;

    d->deferred = STROBE_NO_BLOCK;
    if (first == STROBE_NO_BLOCK)
        return taken;
    strobe_pool_block(d->pool, d->deferred_last)->next = taken;
    return first;
}

/* Frees a written block, or keeps a block of the next window for later. A block of an earlier
 * window is freed too: it comes from a stuck thread, and its valid part is already written. */
static void return_block(StrobeWriterLoop *d, struct pool_block *block)
{
    uint32_t index = strobe_pool_index(d->pool, block);

    if ((int32_t)(block->window - d->window.number) <= 0) {
        strobe_pool_give(d->pool, block);
        return;
    }
    block->next = STROBE_NO_BLOCK;
    if (d->deferred == STROBE_NO_BLOCK)
        d->deferred = index;
    else
        strobe_pool_block(d->pool, d->deferred_last)->next = index;
    d->deferred_last = index;
}

static void give_all(StrobeWriterLoop *d, uint32_t index)
{
    for (uint32_t n = 0; index < d->pool->n_blocks && n < d->pool->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(d->pool, index);
        index = block->next; /* `next` is read first, because return_block overwrites it */
        return_block(d, block);
    }
}

/* Writes and frees the blocks one by one, because thread buffers may be waiting for a free
 * block. */
static void write_and_give(StrobeWriterLoop *d, uint32_t index)
{
    for (uint32_t n = 0; index < d->pool->n_blocks && n < d->pool->n_blocks; n++) {
        struct pool_block *block = strobe_pool_block(d->pool, index);
        index = block->next;
        write_block(d, block, strobe_pool_used(block));
        return_block(d, block);
    }
}

/* ---- losses ---- */

/* Marks the losses in `seen` as reported, and adds the new losses to the window's count, from which
 * the session reports losses that no capture contains. */
static void tell_all(StrobeWriterLoop *d)
{
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++) {
        uint64_t more = d->seen->core[cause] - d->pool->lost_reported[cause];
        for (uint32_t i = 0; i < d->pool->n_thread_buffers; i++)
            more += d->seen->thread_buffers[i][cause] -
                    strobe_pool_thread_buffer(d->pool, i)->lost_reported[cause];
        atomic_fetch_add(&d->control->window_lost[cause], more);
    }
    strobe_pool_tell_losses(d->pool, d->seen);
}

/* Writes the losses since the last call, by cause and thread. If this fails, the next call writes
 * them again. If the program is killed meanwhile, recovery finds the records at telling_at and does
 * not write them again. */
static int write_losses(StrobeWriterLoop *d, uint64_t now)
{
    LoopWindow *w = &d->window;

    atomic_store_explicit(&d->pool->telling_at, w->writer.bytes, memory_order_release);
    int error = strobe_capture_write_losses(&w->writer, d->pool, STROBE_KIND_ID_LOSS,
                                            w->last_flush_ticks, now, d->seen);
    STROBE_TESTPOINT("losses-written");
    strobe_flush_remember(d, error);
    if (error == 0)
        tell_all(d);
    STROBE_TESTPOINT("losses-told");
    atomic_store_explicit(&d->pool->telling_at, 0, memory_order_release);
    return error;
}

/* Reads the losses into `seen`. Returns 0 if they must not be written now: the losses of a shut
 * window are written only when the window has ended, because it may still lose late records. */
static int read_losses(StrobeWriterLoop *d)
{
    if (atomic_load(&strobe_writer_loop_place(d)->end))
        return 0;
    strobe_capture_read_losses(d->pool, d->seen);
    return atomic_load(&strobe_writer_loop_place(d)->end) == 0;
}

/* ---- cycles ---- */

static void write_definitions(StrobeWriterLoop *d)
{
    d->window.undefined = strobe_capture_write_definitions(&d->window.writer, d->pool);
    strobe_flush_remember(d, d->window.undefined);
}

void strobe_flush_all(StrobeWriterLoop *d)
{
    d->is_whole = 1;
    d->n_threads_ended = atomic_load_explicit(&d->pool->n_threads_ended, memory_order_relaxed);
    strobe_track_sweep_begin(d->pool);
    strobe_flush_note_partial(d);
    STROBE_TESTPOINT("flush-noted");
    uint32_t full = take_full(d);
    /* This clock pair is later than all records that are written now. */
    strobe_capture_writer_take_pair(&d->window.writer);
    STROBE_TESTPOINT("flush-taken");
    write_definitions(d);
    STROBE_TESTPOINT("flush-defined");
    write_full(d, full);
    write_partial(d);
    STROBE_TESTPOINT("flush-written");
    give_all(d, full); /* only after the partial blocks are written, because a block of `full` may
                          be one of them */
    if (read_losses(d))
        write_losses(d, d->window.writer.pair.ticks);
    if (d->is_whole) /* everything is written, and there is no block of the next window */
        strobe_track_sweep_end(d->pool);
    d->window.last_flush_ticks = d->window.writer.pair.ticks;
    d->window.last_flush_ns = d->window.writer.pair.monotonic_ns;
}

static void write_queue(StrobeWriterLoop *d)
{
    uint32_t full = take_full(d);
    uint32_t n = 0;

    for (uint32_t i = full; i < d->pool->n_blocks && n < d->pool->n_blocks; n++)
        i = strobe_pool_block(d->pool, i)->next;
    d->poll_ns = n > d->pool->n_blocks / 16 ? BUSY_POLL_NS : POLL_NS;
    if (full == STROBE_NO_BLOCK)
        return;
    strobe_capture_writer_take_pair(&d->window.writer);
    write_definitions(d);
    write_and_give(d, full);
    STROBE_TESTPOINT("full-written");
}

void strobe_flush_full(StrobeWriterLoop *d)
{
    if (!d->ring) {
        write_queue(d);
        return;
    }
    uint32_t freed = strobe_ring_tidy(d->ring, d->pool);
    d->poll_ns = freed > d->pool->n_blocks / 64 ? BUSY_POLL_NS : POLL_NS;
}

/* ---- the end of a window ---- */

/* Writes the committed bytes of blocks that are in no queue, because a thread is stuck inside a
 * critical section or has jumped out of one. If no thread is stuck, frees the blocks. */
static void write_strays(StrobeWriterLoop *d)
{
    for (uint32_t i = 0; i < d->pool->n_blocks; i++) {
        struct pool_block *block = strobe_pool_block(d->pool, i);
        if (!atomic_load_explicit(&block->owned, memory_order_acquire) ||
            block->window != d->window.number)
            continue;
        /* Its thread may still record: names that it has defined meanwhile come first. */
        const uint32_t used = strobe_pool_used(block);
        write_definitions(d);
        write_block(d, block, used);
        if (d->window.n_stuck == 0)
            strobe_pool_give(d->pool, block);
    }
}

static void write_rest(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;

    strobe_capture_writer_take_pair(&w->writer);
    uint32_t full = take_full(d);
    write_definitions(d);
    write_and_give(d, full);
    STROBE_TESTPOINT("window-flushed");
    if (w->has_strays)
        write_strays(d);
    *d->seen = *strobe_pool_ending(d->pool, w->number);
}

/* Writes the losses and the seal. */
static int write_end(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;

    /* The pair just before the seal lets the reader interpolate up to the window's end. */
    strobe_capture_writer_take_pair(&w->writer);
    int error = write_losses(d, w->end);
    return error ? error : strobe_capture_write_seal(&w->writer, w->begin, w->end, 0);
}

/* Writes the losses and the seal; if the disk is full, into the reserve. */
static void finish_capture(StrobeWriterLoop *d)
{
    uint64_t unwritten = 0;

    /* The open spans of stuck threads are still on these threads' stacks. */
    if (d->window.n_stuck)
        strobe_flush_remember(d, strobe_capture_write_unfinished(&d->window.writer, d->pool,
                                                                 STROBE_BLOCK_RECORDS,
                                                                 d->window.end, &unwritten));
    atomic_fetch_add(&d->pool->lost[STROBE_LOSS_DISK_FULL], unwritten);
    d->seen->core[STROBE_LOSS_DISK_FULL] = atomic_load(&d->pool->lost[STROBE_LOSS_DISK_FULL]);
    int error = write_end(d);
    if (error && strobe_capture_use_reserve(&d->window.writer) == 0 && write_end(d) == 0)
        strobe_flush_remember(d, strobe_capture_close_reserve(&d->window.writer));
    strobe_flush_remember(d, error);
    tell_all(d); /* the session reports losses that could not be written */
}

void strobe_flush_end_window(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;

    if (d->ring) {
        strobe_flush_remember(
            d, strobe_dump_ring(d, &w->writer, w->end, &d->pool->lost[STROBE_LOSS_DISK_FULL]));
        strobe_ring_empty(d->ring, d->pool);
        if (w->has_strays && w->n_stuck == 0)
            write_strays(d);
        for (uint32_t i = 0; i < d->pool->n_thread_buffers; i++) {
            struct pool_thread_buffer *thread_buffer = strobe_pool_thread_buffer(d->pool, i);
            atomic_store(&thread_buffer->overwritten_until, 0);
            atomic_store(&thread_buffer->recycled, thread_buffer->sequence);
        }
        /* losses that are written later belong to the whole window */
        w->last_flush_ticks = w->begin;
    } else {
        write_rest(d);
    }
    finish_capture(d);
    if (d->settings.sync >= STROBE_SYNC_WINDOW && fdatasync(w->writer.fd))
        strobe_flush_remember(d, errno);
}
