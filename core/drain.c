/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* How long full blocks wait at most when there are few; strobe_flush_full() shortens it. */
#define POLL_NS 10000000

static struct timespec deadline_in(int64_t ns)
{
    int64_t until = strobe_clock_ns(CLOCK_MONOTONIC) + ns;
    return (struct timespec){until / 1000000000, until % 1000000000};
}

/* ---- the thread ---- */

static void wait_for_work(StrobeDrain *d)
{
    struct timespec deadline = deadline_in(d->poll_ns);

    if (d->request != DRAIN_NONE || d->dump)
        return;
    if (d->is_writing)
        pthread_cond_timedwait(&d->wake, &d->lock, &deadline);
    else
        pthread_cond_wait(&d->wake, &d->lock);
}

static void sync_interval(StrobeDrain *d)
{
    if (d->sync == STROBE_SYNC_INTERVAL && fdatasync(d->writer.fd))
        strobe_flush_remember(d, errno);
}

static void write_on(StrobeDrain *d, int roll)
{
    int64_t now;

    strobe_flush_full(d);
    now = strobe_clock_ns(CLOCK_MONOTONIC);
    if (d->policy == STROBE_POLICY_RING) {
        strobe_dump_note_pair(d);
        return;
    }
    if (now - d->last_flush_ns >= d->flush_interval_ns) {
        strobe_flush_all(d);
        sync_interval(d);
    }
    if (d->pieces.folder >= 0 && (roll || strobe_piece_is_due(&d->pieces, d->writer.bytes, now)))
        strobe_piece_roll(d);
}

/* One round outside of the lock. */
static void work(StrobeDrain *d, enum drain_request request, struct drain_dump *dump, int roll)
{
    if (dump)
        strobe_dump_serve(d, dump);
    if (request == DRAIN_END_WINDOW)
        strobe_flush_end_window(d);
    else if (request == DRAIN_NONE)
        write_on(d, roll);
}

static void *drain_main(void *user)
{
    StrobeDrain *d = user;

    prctl(PR_SET_NAME, "strobe-writer");
    pthread_mutex_lock(&d->lock);
    while (d->request != DRAIN_STOP) {
        wait_for_work(d);
        enum drain_request request = d->request;
        struct drain_dump *dump = d->dump;
        int roll = d->roll;
        d->roll = 0;
        if (!d->is_writing)
            continue;
        pthread_mutex_unlock(&d->lock);
        work(d, request, dump, roll);
        pthread_mutex_lock(&d->lock);
        if (dump)
            d->dump = NULL;
        if (request == DRAIN_END_WINDOW) {
            d->is_writing = 0;
            d->request = DRAIN_NONE;
        }
        if (dump || request == DRAIN_END_WINDOW)
            pthread_cond_broadcast(&d->done);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

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

/* ---- start and stop ---- */

static void free_parts(StrobeDrain *d)
{
    strobe_capture_writer_clear(&d->writer);
    strobe_capture_writer_clear(&d->other);
    strobe_ring_clear(&d->ring);
    free(d->pairs);
    d->pairs = NULL;
}

static int make_parts(StrobeDrain *d, const StrobeRecorderSettings *settings)
{
    int error = strobe_capture_writer_init(&d->writer);
    int is_ring = settings->policy == STROBE_POLICY_RING;

    if (error == 0 && (is_ring || strobe_piece_limits_any(&settings->pieces)))
        error = strobe_capture_writer_init(&d->other);
    if (error == 0 && is_ring)
        error = strobe_ring_init(&d->ring, d->pool->n_blocks);
    if (error == 0 && is_ring) {
        d->pairs = calloc(STROBE_DUMP_PAIRS, sizeof *d->pairs);
        error = d->pairs ? 0 : ENOMEM;
    }
    return error;
}

int strobe_drain_start(StrobeDrain *d, struct pool_header *pool,
                       const StrobeRecorderSettings *settings)
{
    pthread_condattr_t attributes;
    int error;

    memset(d, 0, sizeof *d);
    d->writer.fd = d->other.fd = d->pieces.folder = -1;
    d->pool = pool;
    d->policy = settings->policy;
    d->flush_interval_ns = settings->flush_interval_ns;
    d->ring_ns = settings->ring_ns;
    d->pieces.limits = settings->pieces;
    d->sync = settings->sync;
    d->poll_ns = POLL_NS;
    error = make_parts(d, settings);
    if (error) {
        free_parts(d);
        return error;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&d->wake, &attributes);
    pthread_cond_init(&d->done, &attributes);
    pthread_condattr_destroy(&attributes);
    error = start_thread(d);
    if (error)
        free_parts(d);
    return error;
}

void strobe_drain_stop(StrobeDrain *d)
{
    strobe_drain_wait(d, -1);
    pthread_mutex_lock(&d->lock);
    d->request = DRAIN_STOP;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    pthread_cond_destroy(&d->wake);
    pthread_cond_destroy(&d->done);
    pthread_mutex_destroy(&d->lock);
    free_parts(d);
}

/* ---- windows ---- */

static int write_head(StrobeDrain *d, const char *facts)
{
    int error = strobe_capture_write_facts(&d->writer, facts, 0);

    return error ? error : strobe_capture_write_definitions(&d->writer, d->pool);
}

int strobe_drain_begin_window(StrobeDrain *d, int fd, const char *path, uint32_t window,
                              const char *facts)
{
    int error = 0;

    strobe_drain_wait(d, -1); /* the thread is at rest from here on */
    strobe_capture_writer_begin(&d->writer, fd, window);
    d->error = 0;
    memset(d->window_lost, 0, sizeof d->window_lost);
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        d->pool->lost_told[cause] = atomic_load(&d->pool->lost[cause]); /* of no window */
    d->last_flush_ns = d->writer.pair.monotonic_ns;
    d->last_flush_ticks = d->writer.pair.ticks;
    d->n_pairs = 0;
    if (d->pairs)
        d->pairs[d->n_pairs++] = d->writer.pair;
    d->pair_distance_ns = d->flush_interval_ns;
    if (strobe_piece_limits_any(&d->pieces.limits))
        error = strobe_pieces_begin(&d->pieces, &d->pieces.limits, path, facts, d->last_flush_ns);
    if (error == 0)
        error = write_head(d, facts);
    if (error) {
        strobe_pieces_end(&d->pieces);
        strobe_capture_writer_end(&d->writer);
        return error;
    }
    pthread_mutex_lock(&d->lock);
    d->is_writing = 1;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    return 0;
}

void strobe_drain_end_window(StrobeDrain *d, uint64_t begin, uint64_t end, unsigned n_stuck)
{
    pthread_mutex_lock(&d->lock);
    d->begin = begin;
    d->end = end;
    d->n_stuck = n_stuck;
    d->request = DRAIN_END_WINDOW;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
}

int strobe_drain_wait(StrobeDrain *d, int64_t patience_ns)
{
    struct timespec deadline = deadline_in(patience_ns);
    int late = 0, error;

    pthread_mutex_lock(&d->lock);
    while (d->request == DRAIN_END_WINDOW && !late) {
        if (patience_ns < 0)
            pthread_cond_wait(&d->done, &d->lock);
        else
            late = pthread_cond_timedwait(&d->done, &d->lock, &deadline) == ETIMEDOUT;
    }
    error = d->request == DRAIN_END_WINDOW ? EINPROGRESS : d->error;
    pthread_mutex_unlock(&d->lock);
    return error;
}

int strobe_drain_dump(StrobeDrain *d, int fd, const char *facts)
{
    struct drain_dump dump = {.fd = fd, .facts = facts, .error = EINVAL};

    pthread_mutex_lock(&d->lock);
    while (d->dump) /* somebody else's */
        pthread_cond_wait(&d->done, &d->lock);
    if (d->is_writing && d->request == DRAIN_NONE && d->policy == STROBE_POLICY_RING) {
        d->dump = &dump;
        pthread_cond_signal(&d->wake);
        while (d->dump == &dump)
            pthread_cond_wait(&d->done, &d->lock);
    } else {
        close(fd);
    }
    pthread_mutex_unlock(&d->lock);
    return dump.error;
}

void strobe_drain_roll(StrobeDrain *d)
{
    pthread_mutex_lock(&d->lock);
    d->roll = d->is_writing;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
}

void strobe_drain_losses(StrobeDrain *d, uint64_t lost[STROBE_LOSS_CAUSES])
{
    strobe_drain_wait(d, -1);
    pthread_mutex_lock(&d->lock);
    memcpy(lost, d->window_lost, sizeof d->window_lost);
    pthread_mutex_unlock(&d->lock);
}

void strobe_drain_forget(StrobeDrain *d)
{
    StrobeCaptureWriter *const writers[] = {&d->writer, &d->other};

    for (unsigned i = 0; i < 2; i++) {
        if (writers[i]->fd >= 0)
            close(writers[i]->fd);
        strobe_capture_writer_forget(writers[i]);
    }
    strobe_pieces_end(&d->pieces);
    strobe_ring_clear(&d->ring);
    free(d->pairs);
    d->pairs = NULL;
}
