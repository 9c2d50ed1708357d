/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer thread writes of a window, in which order. */
#include <errno.h>
#include <unistd.h>
#include "drain.h"
#include "kind-table.h"

/* How long full blocks wait at most: less when the pool was found filling up. */
#define POLL_NS 10000000
#define BUSY_POLL_NS 500000

void strobe_flush_remember(StrobeDrain *d, int error)
{
    if (error && d->error == 0)
        d->error = error;
}

/* Appends [flushed, used) of a block; what cannot be written is counted. */
static void write_block(StrobeDrain *d, struct pool_block *block, uint32_t used)
{
    uint32_t from = atomic_load_explicit(&block->flushed, memory_order_relaxed);

    if (used <= from)
        return;
    int error = strobe_capture_write_records(&d->writer, block, from, used);
    if (error) {
        strobe_flush_remember(d, error);
        atomic_fetch_add(&d->pool->lost[STROBE_LOSS_DISK_FULL],
                         strobe_capture_count_records(block, from, used));
    }
    atomic_store_explicit(&block->flushed, used, memory_order_release);
}

/* Before the definitions are written, so that every id in these bytes is among them. */
void strobe_flush_note_partial(StrobeDrain *d)
{
    for (uint32_t i = 0; i < d->pool->n_lanes; i++) {
        struct pool_lane *lane = strobe_pool_lane(d->pool, i);
        uint32_t index = atomic_load_explicit(&lane->block, memory_order_acquire);
        d->partial[i].block = index;
        if (index < d->pool->n_blocks)
            d->partial[i].used = atomic_load_explicit(&strobe_pool_block(d->pool, index)->used,
                                                      memory_order_acquire);
    }
}

static void write_partial(StrobeDrain *d)
{
    for (uint32_t i = 0; i < d->pool->n_lanes; i++)
        if (d->partial[i].block < d->pool->n_blocks)
            write_block(d, strobe_pool_block(d->pool, d->partial[i].block), d->partial[i].used);
}

static void write_full(StrobeDrain *d, uint32_t index)
{
    while (index != STROBE_NO_BLOCK) {
        struct pool_block *block = strobe_pool_block(d->pool, index);
        index = block->next;
        write_block(d, block, atomic_load_explicit(&block->used, memory_order_acquire));
    }
}

static void give_all(StrobeDrain *d, uint32_t index)
{
    while (index != STROBE_NO_BLOCK) {
        struct pool_block *block = strobe_pool_block(d->pool, index);
        index = block->next; /* giving it back overwrites the link */
        strobe_pool_give(d->pool, block);
    }
}

/* ---- losses ---- */

static void tell(uint64_t *window_lost, uint64_t lost, uint64_t *told)
{
    *window_lost += lost - *told;
    *told = lost;
}

/* What was seen has been written, or could not be. */
void strobe_flush_tell(StrobeDrain *d, int error)
{
    strobe_flush_remember(d, error);
    pthread_mutex_lock(&d->lock);
    if (error && d->request != DRAIN_END_WINDOW) { /* told with the next flush */
        pthread_mutex_unlock(&d->lock);
        return;
    }
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++) {
        tell(&d->window_lost[cause], d->seen.core[cause], &d->pool->lost_told[cause]);
        for (uint32_t i = 0; i < d->pool->n_lanes; i++)
            tell(&d->window_lost[cause], d->seen.lanes[i][cause],
                 &strobe_pool_lane(d->pool, i)->lost_told[cause]);
    }
    pthread_mutex_unlock(&d->lock);
}

/* By cause and thread. A loss counted while this goes on is told the next time. */
static void write_losses(StrobeDrain *d, uint64_t now)
{
    strobe_capture_read_losses(d->pool, &d->seen);
    strobe_flush_tell(d, strobe_capture_write_losses(&d->writer, d->pool, STROBE_KIND_ID_LOSS,
                                                     d->last_flush_ticks, now, &d->seen));
}

/* ---- cycles ---- */

void strobe_flush_all(StrobeDrain *d)
{
    strobe_capture_writer_take_pair(&d->writer);
    strobe_flush_note_partial(d);
    uint32_t full = strobe_pool_take_full(d->pool);
    strobe_flush_remember(d, strobe_capture_write_definitions(&d->writer, d->pool));
    write_full(d, full);
    write_partial(d);
    give_all(d, full); /* not before: a block noted as partial may be among them */
    write_losses(d, d->writer.pair.ticks);
    d->last_flush_ticks = d->writer.pair.ticks;
    d->last_flush_ns = d->writer.pair.monotonic_ns;
}

static void write_queue(StrobeDrain *d)
{
    uint32_t full = strobe_pool_take_full(d->pool);
    uint32_t n = 0;

    for (uint32_t i = full; i != STROBE_NO_BLOCK; i = strobe_pool_block(d->pool, i)->next)
        n++;
    d->poll_ns = n > d->pool->n_blocks / 16 ? BUSY_POLL_NS : POLL_NS;
    if (full == STROBE_NO_BLOCK)
        return;
    strobe_capture_writer_take_pair(&d->writer);
    strobe_flush_remember(d, strobe_capture_write_definitions(&d->writer, d->pool));
    write_full(d, full);
    give_all(d, full);
}

void strobe_flush_full(StrobeDrain *d)
{
    if (d->policy != STROBE_POLICY_RING) {
        write_queue(d);
        return;
    }
    uint32_t freed = strobe_ring_tidy(&d->ring, d->pool);
    d->poll_ns = freed > d->pool->n_blocks / 64 ? BUSY_POLL_NS : POLL_NS;
}

/* ---- the end of a window ---- */

/* Gives the lanes' last blocks back: their threads are outside of every bracket. */
static void collect_blocks(StrobeDrain *d)
{
    for (uint32_t i = 0; i < d->pool->n_lanes; i++) {
        struct pool_lane *lane = strobe_pool_lane(d->pool, i);
        uint32_t index = atomic_load(&lane->block);
        if (index < d->pool->n_blocks)
            strobe_pool_give(d->pool, strobe_pool_block(d->pool, index));
        atomic_store(&lane->block, STROBE_NO_BLOCK);
    }
}

static void write_rest(StrobeDrain *d)
{
    strobe_flush_all(d);
    strobe_flush_remember(d, strobe_capture_write_unfinished(&d->writer, d->pool,
                                                             STROBE_BLOCK_RECORDS, d->end));
    /* The pair just before the seal lets the reader interpolate up to the window's end. */
    strobe_capture_writer_take_pair(&d->writer);
    strobe_flush_remember(d, strobe_capture_write_seal(&d->writer, d->begin, d->end, 0));
}

void strobe_flush_end_window(StrobeDrain *d)
{
    if (d->policy == STROBE_POLICY_RING) {
        strobe_flush_remember(d, strobe_dump_ring(d, &d->writer, d->end,
                                                  &d->pool->lost[STROBE_LOSS_DISK_FULL]));
        strobe_ring_empty(&d->ring, d->pool);
    } else {
        write_rest(d);
    }
    if (d->n_stuck == 0)
        collect_blocks(d);
    for (uint32_t i = 0; i < d->pool->n_lanes; i++) {
        atomic_store(&strobe_pool_lane(d->pool, i)->depth, 0);
        atomic_store(&strobe_pool_lane(d->pool, i)->overwritten_until, 0);
    }
    if (d->sync >= STROBE_SYNC_WINDOW && fdatasync(d->writer.fd))
        strobe_flush_remember(d, errno);
    strobe_pieces_end(&d->pieces);
    strobe_capture_writer_end(&d->writer);
    atomic_store(&d->pool->window, 0);
}
