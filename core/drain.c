/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "kind-table.h"

/* How long full blocks wait at most: less when the pool was found filling up. */
#define POLL_NS 10000000
#define BUSY_POLL_NS 500000

static void remember(StrobeDrain *d, int error)
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
        remember(d, error);
        atomic_fetch_add(&d->pool->lost[STROBE_LOSS_DISK_FULL],
                         strobe_capture_count_records(block, from, used));
    }
    atomic_store_explicit(&block->flushed, used, memory_order_release);
}

/* Which partly filled blocks there are, and how far: before the definitions are written, so that
 * every id in these bytes is among them. */
static void note_partial(StrobeDrain *d)
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

static void tell(StrobeDrain *d, uint32_t cause, uint64_t lost, uint64_t *told)
{
    d->window_lost[cause] += lost - *told;
    *told = lost;
}

/* Writes what was lost since the last time, by cause and thread. A loss counted while this goes on
 * is told the next time. */
static void write_losses(StrobeDrain *d, uint64_t now)
{
    int error = strobe_capture_write_losses(&d->writer, d->pool, STROBE_KIND_ID_LOSS,
                                            d->last_flush_ticks, now, &d->seen);

    remember(d, error);
    if (error && d->request != DRAIN_END_WINDOW)
        return; /* told with the next flush */
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++) {
        tell(d, cause, d->seen.core[cause], &d->pool->lost_told[cause]);
        for (uint32_t i = 0; i < d->pool->n_lanes; i++)
            tell(d, cause, d->seen.lanes[i][cause],
                 &strobe_pool_lane(d->pool, i)->lost_told[cause]);
    }
}

/* ---- cycles ---- */

static void flush_all(StrobeDrain *d)
{
    note_partial(d);
    uint32_t full = strobe_pool_take_full(d->pool);
    strobe_capture_writer_take_pair(&d->writer); /* later than all that is written now */
    remember(d, strobe_capture_write_definitions(&d->writer, d->pool));
    write_full(d, full);
    write_partial(d);
    give_all(d, full); /* not before: a block noted as partial may be among them */
    write_losses(d, d->writer.pair.ticks);
    d->last_flush_ticks = d->writer.pair.ticks;
    d->last_flush_ns = d->writer.pair.monotonic_ns;
}

static void sync_capture(StrobeDrain *d, uint32_t least)
{
    if (d->sync >= least && fdatasync(d->writer.fd))
        remember(d, errno);
}

static void flush_full(StrobeDrain *d)
{
    uint32_t full = strobe_pool_take_full(d->pool);
    uint32_t n = 0;

    for (uint32_t i = full; i != STROBE_NO_BLOCK; i = strobe_pool_block(d->pool, i)->next)
        n++;
    d->poll_ns = n > d->pool->n_blocks / 16 ? BUSY_POLL_NS : POLL_NS;
    if (full == STROBE_NO_BLOCK)
        return;
    strobe_capture_writer_take_pair(&d->writer);
    remember(d, strobe_capture_write_definitions(&d->writer, d->pool));
    write_full(d, full);
    give_all(d, full);
}

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

static void end_window(StrobeDrain *d)
{
    flush_all(d);
    if (d->n_stuck == 0)
        collect_blocks(d);
    remember(d, strobe_capture_write_unfinished(&d->writer, d->pool, d->end));
    for (uint32_t i = 0; i < d->pool->n_lanes; i++)
        atomic_store(&strobe_pool_lane(d->pool, i)->depth, 0);
    /* The pair just before the seal lets the reader interpolate up to the window's end. */
    strobe_capture_writer_take_pair(&d->writer);
    remember(d, strobe_capture_write_seal(&d->writer, d->begin, d->end, 0));
    sync_capture(d, STROBE_SYNC_WINDOW);
    strobe_capture_writer_end(&d->writer);
    d->is_writing = 0;
}

static void wait_for_work(StrobeDrain *d)
{
    int64_t until = strobe_clock_ns(CLOCK_MONOTONIC) + d->poll_ns;
    struct timespec deadline = {until / 1000000000, until % 1000000000};

    if (d->request == DRAIN_NONE && d->is_writing)
        pthread_cond_timedwait(&d->wake, &d->lock, &deadline);
    else if (d->request == DRAIN_NONE)
        pthread_cond_wait(&d->wake, &d->lock);
}

static void *drain_main(void *user)
{
    StrobeDrain *d = user;

    prctl(PR_SET_NAME, "strobe-writer");
    pthread_mutex_lock(&d->lock);
    while (d->request != DRAIN_STOP) {
        wait_for_work(d);
        if (d->request == DRAIN_END_WINDOW) {
            end_window(d);
            d->request = DRAIN_NONE;
            pthread_cond_broadcast(&d->done);
        } else if (d->is_writing) {
            flush_full(d);
            if (strobe_clock_ns(CLOCK_MONOTONIC) - d->last_flush_ns >= d->flush_interval_ns) {
                flush_all(d);
                sync_capture(d, STROBE_SYNC_INTERVAL);
            }
        }
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* ---- control ---- */

static int start_thread(StrobeDrain *d)
{
    sigset_t all, old;
    int error;

    /* The program's signals are for the program's threads. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    error = pthread_create(&d->thread, NULL, drain_main, d);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error;
}

int strobe_drain_start(StrobeDrain *d, struct pool_header *pool,
                       const StrobeRecorderSettings *settings)
{
    pthread_condattr_t attributes;
    int error;

    memset(d, 0, sizeof *d);
    error = strobe_capture_writer_init(&d->writer);
    if (error)
        return error;
    d->pool = pool;
    d->flush_interval_ns = settings->flush_interval_ns;
    d->sync = settings->sync;
    d->poll_ns = POLL_NS;
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&d->wake, &attributes);
    pthread_cond_init(&d->done, &attributes);
    pthread_condattr_destroy(&attributes);
    error = start_thread(d);
    if (error)
        strobe_capture_writer_clear(&d->writer);
    return error;
}

void strobe_drain_stop(StrobeDrain *d)
{
    pthread_mutex_lock(&d->lock);
    d->request = DRAIN_STOP;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->wake);
    pthread_cond_destroy(&d->done);
    pthread_mutex_destroy(&d->lock);
    strobe_capture_writer_clear(&d->writer);
}

int strobe_drain_begin_window(StrobeDrain *d, int fd, uint32_t window, const char *facts)
{
    int error;

    pthread_mutex_lock(&d->lock);
    strobe_capture_writer_begin(&d->writer, fd, window);
    d->error = 0;
    memset(d->window_lost, 0, sizeof d->window_lost);
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        d->pool->lost_told[cause] = atomic_load(&d->pool->lost[cause]); /* of no window */
    error =
        strobe_capture_write_block(&d->writer, STROBE_BLOCK_FACTS, facts, (uint32_t)strlen(facts));
    if (error == 0)
        error = strobe_capture_write_definitions(&d->writer, d->pool);
    if (error) {
        strobe_capture_writer_end(&d->writer);
    } else {
        d->last_flush_ns = d->writer.pair.monotonic_ns;
        d->last_flush_ticks = d->writer.pair.ticks;
        d->is_writing = 1;
        pthread_cond_signal(&d->wake);
    }
    pthread_mutex_unlock(&d->lock);
    return error;
}

int strobe_drain_end_window(StrobeDrain *d, uint64_t begin, uint64_t end)
{
    int error;

    pthread_mutex_lock(&d->lock);
    d->begin = begin;
    d->end = end;
    d->request = DRAIN_END_WINDOW;
    pthread_cond_signal(&d->wake);
    while (d->request == DRAIN_END_WINDOW)
        pthread_cond_wait(&d->done, &d->lock);
    error = d->error;
    pthread_mutex_unlock(&d->lock);
    return error;
}

void strobe_drain_losses(StrobeDrain *d, uint64_t lost[STROBE_LOSS_CAUSES])
{
    pthread_mutex_lock(&d->lock);
    memcpy(lost, d->window_lost, sizeof d->window_lost);
    pthread_mutex_unlock(&d->lock);
}
