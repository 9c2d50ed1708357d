/* SPDX-License-Identifier: Apache-2.0 */
#include "drain.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "abandoned.h"
#include "testpoint.h"
#include "track-table.h"

/* How long full blocks wait at most when there are few; strobe_flush_full() shortens it. */
#define POLL_NS 10000000
/* How long a process whose program is gone stays. */
#define LOOK_NS 1000000000

static struct timespec deadline_in(int64_t ns)
{
    int64_t until = strobe_clock_ns(CLOCK_MONOTONIC) + ns;
    return (struct timespec){until / 1000000000, until % 1000000000};
}

/* ---- the thread ---- */

static void wait_for_work(StrobeDrain *d)
{
    struct timespec deadline = deadline_in(d->is_writing ? d->poll_ns : LOOK_NS);

    if (d->is_stopping || d->dump || (d->is_writing && d->now->is_ended))
        return;
    pthread_cond_timedwait(&d->wake, &d->lock, &deadline);
}

/* Once a second: is there anybody to record? */
static void look_for_program(StrobeDrain *d)
{
    int64_t now = strobe_clock_ns(CLOCK_MONOTONIC);

    if (d->looked_ns < 0 || now - d->looked_ns < LOOK_NS)
        return;
    d->looked_ns = now;
    if (!strobe_is_abandoned())
        return;
    d->looked_ns = -1;
    strobe_end_abandoned();
}

static void sync_interval(StrobeDrain *d)
{
    if (d->sync == STROBE_SYNC_INTERVAL && fdatasync(d->now->writer.fd))
        strobe_flush_remember(d, errno);
}

/* Short threads by the thousand fill the track table before the interval is over. */
static int is_crowded(const StrobeDrain *d)
{
    return atomic_load_explicit(&d->pool->n_threads_ended, memory_order_relaxed) -
               d->n_threads_ended >
           STROBE_POOL_THREAD_TRACKS / 4;
}

/* A ring forgets its threads with their records. */
static void sweep_ring(StrobeDrain *d, int64_t now)
{
    if (now - d->swept_ns < d->flush_interval_ns && !is_crowded(d))
        return;
    d->n_threads_ended = atomic_load_explicit(&d->pool->n_threads_ended, memory_order_relaxed);
    d->swept_ns = now;
    strobe_track_sweep_ring(d->pool);
}

static void write_on(StrobeDrain *d, int roll)
{
    DrainWindow *w = d->now;
    int64_t now;

    strobe_flush_full(d);
    now = strobe_clock_ns(CLOCK_MONOTONIC);
    if (d->policy == STROBE_POLICY_RING) {
        strobe_dump_note_pair(d);
        sweep_ring(d, now);
        return;
    }
    if (now - w->last_flush_ns >= d->flush_interval_ns) {
        strobe_flush_all(d);
        sync_interval(d);
    } else if (is_crowded(d)) {
        strobe_flush_all(d);
    }
    if (w->rotation.folder >= 0 &&
        (roll || strobe_rotation_is_due(&w->rotation, w->writer.bytes, now)))
        strobe_rotation_roll(d);
}

/* One round outside of the lock. */
static void work(StrobeDrain *d, int is_ended, struct drain_dump *dump, int roll)
{
    if (dump)
        strobe_dump_serve(d, dump);
    if (is_ended)
        strobe_flush_end_window(d);
    else
        write_on(d, roll);
}

/* The window that was prepared becomes the present one. */
static void adopt_next(StrobeDrain *d)
{
    if (d->is_writing || !d->next)
        return;
    d->now = d->next;
    d->next = NULL;
    d->is_writing = 1;
    memset(d->window_lost, 0, sizeof d->window_lost);
    pthread_cond_broadcast(&d->done);
}

static void *drain_main(void *user)
{
    StrobeDrain *d = user;

    prctl(PR_SET_NAME, "strobe-writer");
    pthread_mutex_lock(&d->lock);
    while (!d->is_stopping) {
        adopt_next(d);
        wait_for_work(d);
        look_for_program(d);
        adopt_next(d);
        if (!d->is_writing)
            continue;
        struct drain_dump *dump = d->dump;
        int is_ended = d->now->is_ended, roll = d->roll;
        d->roll = 0;
        pthread_mutex_unlock(&d->lock);
        work(d, is_ended, dump, roll);
        pthread_mutex_lock(&d->lock);
        if (dump)
            d->dump = NULL;
        if (is_ended) {
            d->now->number = 0;
            d->is_writing = 0;
        }
        if (dump || is_ended)
            pthread_cond_broadcast(&d->done);
    }
    pthread_mutex_unlock(&d->lock);
    return NULL;
}

/* ---- start and stop ---- */

static void free_parts(StrobeDrain *d)
{
    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++)
        strobe_capture_writer_clear(&d->windows[i].writer);
    strobe_capture_writer_clear(&d->other);
    strobe_ring_clear(&d->ring);
}

static int make_parts(StrobeDrain *d, const StrobeRecorderSettings *settings)
{
    int is_ring = settings->policy == STROBE_POLICY_RING;
    int error = 0;

    for (unsigned i = 0; i < STROBE_POOL_WINDOWS && error == 0; i++)
        error = strobe_capture_writer_init(&d->windows[i].writer);
    if (error == 0 && (is_ring || strobe_rotation_limits_any(&settings->rotation)))
        error = strobe_capture_writer_init(&d->other);
    if (error == 0 && is_ring)
        error = strobe_ring_init(&d->ring, d->pool->n_blocks);
    return error;
}

int strobe_drain_start(StrobeDrain *d, struct pool_header *pool,
                       const StrobeRecorderSettings *settings)
{
    pthread_condattr_t attributes;
    int error;

    memset(d, 0, sizeof *d);
    d->other.fd = -1;
    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++)
        d->windows[i].writer.fd = d->windows[i].rotation.folder = -1;
    d->pool = pool;
    d->seen = strobe_pool_at(pool, pool->seen_at);
    d->policy = settings->policy;
    d->flush_interval_ns = settings->flush_interval_ns;
    d->ring_ns = settings->ring_ns;
    d->rotation_limits = settings->rotation;
    d->sync = settings->sync;
    d->poll_ns = POLL_NS;
    d->deferred = STROBE_NO_BLOCK;
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
    error = strobe_thread_start(&d->thread, drain_main, d);
    if (error)
        free_parts(d);
    atomic_thread_fence(memory_order_release); /* a child that is forked now sees all or nothing */
    d->is_made = error == 0;
    return error;
}

/* Is there a window whose rest is not written yet? */
static int is_busy(const StrobeDrain *d)
{
    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++)
        if (d->windows[i].number && d->windows[i].is_ended)
            return 1;
    return 0;
}

void strobe_drain_stop(StrobeDrain *d)
{
    pthread_mutex_lock(&d->lock);
    while (is_busy(d))
        pthread_cond_wait(&d->done, &d->lock);
    d->is_stopping = 1;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    pthread_join(d->thread, NULL);
    d->is_made = 0;
    atomic_thread_fence(memory_order_seq_cst);
    pthread_cond_destroy(&d->wake);
    pthread_cond_destroy(&d->done);
    pthread_mutex_destroy(&d->lock);
    free_parts(d);
}

/* ---- windows ---- */

/* Waits until the place of the window before last is free, or, where the ring is shared, until the
 * last one is sealed too. The last one may have ended before the thread came to look at it. */
static void wait_for_place(StrobeDrain *d, const DrainWindow *w)
{
    pthread_mutex_lock(&d->lock);
    while (w->number || d->next || (d->policy == STROBE_POLICY_RING && d->is_writing))
        pthread_cond_wait(&d->done, &d->lock);
    if (!d->is_writing) /* what was lost since is of no window */
        for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
            if (cause != STROBE_LOSS_LATE) /* late ones are of the window before, which is sealed */
                d->pool->lost_told[cause] = atomic_load(&d->pool->lost[cause]);
    pthread_mutex_unlock(&d->lock);
}

/* Not before there is a head: a kill until then leaves nothing that looks like a capture. */
static int give_name(const char *path)
{
    char made[PATH_MAX];

    if (snprintf(made, sizeof made, "%s" STROBE_CAPTURE_UNNAMED, path) >= (int)sizeof made)
        return ENAMETOOLONG;
    return renameat(AT_FDCWD, made, AT_FDCWD, path) ? errno : 0;
}

static int begin_capture(StrobeDrain *d, DrainWindow *w, const char *path, const char *facts)
{
    int error = 0;

    STROBE_TESTPOINT("window-created");
    if (strobe_rotation_limits_any(&d->rotation_limits))
        error = strobe_rotation_begin(&w->rotation, &d->rotation_limits, path, facts);
    if (error == 0)
        error = strobe_capture_write_facts(&w->writer, facts, 0);
    if (error == 0)
        error = strobe_capture_write_definitions(&w->writer, d->pool);
    if (error == 0)
        error = strobe_capture_write_reserve(&w->writer);
    if (error == 0)
        error = give_name(path);
    strobe_rotation_begin_piece(&w->rotation, w->writer.bytes, w->last_flush_ns);
    if (error) {
        strobe_rotation_end(&w->rotation);
        strobe_capture_writer_end(&w->writer);
    }
    return error;
}

int strobe_drain_begin_window(StrobeDrain *d, int fd, const char *path, uint32_t window,
                              const char *facts)
{
    DrainWindow *w = &d->windows[window % STROBE_POOL_WINDOWS];
    int error;

    wait_for_place(d, w);
    strobe_capture_writer_begin(&w->writer, fd, window);
    w->error = w->undefined = 0;
    w->last_flush_ns = w->writer.pair.monotonic_ns;
    w->last_flush_ticks = w->writer.pair.ticks;
    error = begin_capture(d, w, path, facts);
    if (error)
        return error;
    pthread_mutex_lock(&d->lock);
    w->number = window;
    w->is_ended = 0;
    d->next = w;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
    return 0;
}

/* Here, so that what the next window loses is not taken for this one's. */
void strobe_drain_shut_window(StrobeDrain *d, uint32_t window, uint64_t end)
{
    pthread_mutex_lock(&d->lock);
    strobe_capture_read_losses(d->pool, strobe_pool_ending(d->pool, window));
    atomic_store(&strobe_pool_window(d->pool, window)->end, end);
    pthread_mutex_unlock(&d->lock);
}

void strobe_drain_end_window(StrobeDrain *d, uint32_t window, uint64_t begin, uint64_t end,
                             unsigned n_stuck, int has_strays)
{
    DrainWindow *w = &d->windows[window % STROBE_POOL_WINDOWS];

    w->begin = begin;
    w->end = end;
    w->n_stuck = n_stuck;
    w->has_strays = has_strays || n_stuck;
    strobe_drain_shut_window(d, window, end);
    pthread_mutex_lock(&d->lock);
    w->is_ended = 1;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
}

int strobe_drain_wait(StrobeDrain *d, uint32_t window, int64_t patience_ns)
{
    const DrainWindow *w = &d->windows[window % STROBE_POOL_WINDOWS];
    struct timespec deadline = deadline_in(patience_ns);
    int late = 0, error;

    pthread_mutex_lock(&d->lock);
    while (w->number == window && w->is_ended && !late) {
        if (patience_ns < 0)
            pthread_cond_wait(&d->done, &d->lock);
        else
            late = pthread_cond_timedwait(&d->done, &d->lock, &deadline) == ETIMEDOUT;
    }
    error = late && w->number == window ? EINPROGRESS : w->error;
    pthread_mutex_unlock(&d->lock);
    return error;
}

int strobe_drain_dump(StrobeDrain *d, int fd, const char *facts)
{
    struct drain_dump dump = {.fd = fd, .facts = facts, .error = EINVAL};

    pthread_mutex_lock(&d->lock);
    while (d->dump || d->next) /* somebody else's; a window that has just begun */
        pthread_cond_wait(&d->done, &d->lock);
    if (d->is_writing && !d->now->is_ended && d->policy == STROBE_POLICY_RING) {
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
    d->roll = 1;
    pthread_cond_signal(&d->wake);
    pthread_mutex_unlock(&d->lock);
}

void strobe_drain_losses(StrobeDrain *d, uint64_t lost[STROBE_LOSS_CAUSES])
{
    pthread_mutex_lock(&d->lock);
    while (is_busy(d))
        pthread_cond_wait(&d->done, &d->lock);
    memcpy(lost, d->window_lost, sizeof d->window_lost);
    pthread_mutex_unlock(&d->lock);
}

void strobe_drain_forget(StrobeDrain *d)
{
    StrobeCaptureWriter *const writers[] = {&d->windows[0].writer, &d->windows[1].writer,
                                            &d->other};

    if (!d->is_made)
        return;
    d->is_made = 0;
    for (unsigned i = 0; i < 3; i++) {
        if (writers[i]->fd >= 0)
            close(writers[i]->fd);
        strobe_capture_writer_forget(writers[i]);
    }
    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++)
        strobe_rotation_end(&d->windows[i].rotation);
    strobe_ring_clear(&d->ring);
}
