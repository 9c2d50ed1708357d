/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "capture-file.h"
#include "pool-bell.h"
#include "testpoint.h"
#include "track-table.h"

/* Maximum time for which full blocks wait if there are only few; strobe_flush_full() shortens
 * it. */
#define POLL_NS 10000000
/* Sleep of the writer while no window records. */
#define IDLE_NS 200000000

static void ring_answer(StrobeWriterLoop *d)
{
    strobe_bell_ring(&d->control->answer);
}

/* Copies a path from the pool, which the program may change at any time. */
static void copy_path(char path[PATH_MAX], const char *there)
{
    memcpy(path, there, PATH_MAX);
    path[PATH_MAX - 1] = 0;
}

/* ---- the begin of a window ---- */

/* Opens the capture that the program has made, with its metadata in it. */
static int open_capture(StrobeWriterLoop *d, const char *path)
{
    LoopWindow *w = &d->window;
    char *metadata = NULL;
    int fd, error = strobe_capture_file_open(path, d->pool, &fd, &metadata);

    if (error)
        return error;
    strobe_capture_writer_begin(&w->writer, fd, w->number);
    if (strobe_rotation_limits_any(&d->settings.rotation))
        error = strobe_rotation_begin(&w->rotation, &d->settings.rotation, path, metadata);
    free(metadata);
    STROBE_TESTPOINT("window-created");
    if (error == 0)
        error = strobe_capture_write_definitions(&w->writer, d->pool);
    if (error == 0)
        error = strobe_capture_write_reserve(&w->writer);
    return error;
}

/* Begins a window. If its capture cannot be written, the window continues, and its records are
 * counted as lost. */
static void begin_window(StrobeWriterLoop *d, struct pool_window *place, uint32_t number)
{
    LoopWindow *w = &d->window;
    char path[PATH_MAX];

    w->number = number;
    w->undefined = 0;
    w->begin = place->begin;
    copy_path(path, place->capture);
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        atomic_store(&d->control->window_lost[cause], 0);
    strobe_flush_remember(d, open_capture(d, path));
    w->last_flush_ns = w->writer.pair.monotonic_ns;
    w->last_flush_ticks = w->begin;
    strobe_rotation_begin_segment(&w->rotation, w->writer.bytes, w->last_flush_ns);
    uint32_t open = STROBE_WINDOW_OPEN; /* the window may have ended in the meantime */
    atomic_compare_exchange_strong(&place->state, &open, STROBE_WINDOW_WRITING);
    STROBE_TESTPOINT("window-adopted");
    ring_answer(d);
}

/* Makes the oldest waiting window the current window. If the program has ended, this includes a
 * window whose begin the program did not complete. */
static void adopt_window(StrobeWriterLoop *d, int is_gone)
{
    struct pool_window *oldest = NULL;
    uint32_t least = 0;

    for (unsigned i = 0; d->window.number == 0 && i < STROBE_POOL_WINDOWS; i++) {
        struct pool_window *place = &d->pool->windows[i];
        uint32_t number = atomic_load(&place->window), state = atomic_load(&place->state);
        if (number == 0 || (oldest && (int32_t)(number - least) > 0) ||
            (state != STROBE_WINDOW_OPEN && state != STROBE_WINDOW_ENDED && !is_gone))
            continue;
        oldest = place;
        least = number;
    }
    if (oldest)
        begin_window(d, oldest, least);
}

/* ---- while a window records ---- */

static void sync_interval(StrobeWriterLoop *d)
{
    if (d->settings.sync == STROBE_SYNC_INTERVAL && fdatasync(d->window.writer.fd))
        strobe_flush_remember(d, errno);
}

/* Have so many threads ended that their tracks must be freed before the interval is over? Thousands
 * of short threads can fill the track table. */
static int is_crowded(const StrobeWriterLoop *d)
{
    return atomic_load_explicit(&d->pool->n_threads_ended, memory_order_relaxed) -
               d->n_threads_ended >
           STROBE_POOL_THREAD_TRACKS / 4;
}

/* In a ring, frees the tracks of ended threads when their records have been overwritten. */
static void sweep_ring(StrobeWriterLoop *d, int64_t now)
{
    if (now - d->swept_ns < d->settings.flush_interval_ns && !is_crowded(d))
        return;
    d->n_threads_ended = atomic_load_explicit(&d->pool->n_threads_ended, memory_order_relaxed);
    d->swept_ns = now;
    strobe_track_sweep_ring(d->pool);
}

static void write_on(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;
    int64_t now;

    strobe_flush_full(d);
    now = strobe_clock_ns(CLOCK_MONOTONIC);
    if (d->ring) {
        strobe_dump_note_pair(d);
        sweep_ring(d, now);
        return;
    }
    if (now - w->last_flush_ns >= d->settings.flush_interval_ns) {
        strobe_flush_all(d);
        sync_interval(d);
    } else if (is_crowded(d)) {
        strobe_flush_all(d);
    }
    int roll = (int)atomic_exchange(&d->control->roll, 0);
    if (w->rotation.folder >= 0 &&
        (roll || strobe_rotation_is_due(&w->rotation, w->writer.bytes, now)))
        strobe_rotation_roll(d);
}

/* ---- collectors in this process ---- */

/* Ends the recording of this process's collectors in the window; after this, their blocks are in
 * the pool's queue. */
static void end_joined(StrobeWriterLoop *d, uint64_t end)
{
    LoopWindow *w = &d->window;

    if (w->is_joined)
        w->n_stuck_here = d->program.end(d->program.user, end);
    w->is_joined = 0;
}

/* Makes this process's collectors record while the program requests it. */
static void follow_sampling(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;
    int is_wanted = atomic_load(&d->control->sample_window) == w->number;
    char path[PATH_MAX];

    if (w->is_joined && !is_wanted)
        end_joined(d, strobe_clock_now());
    if (w->is_joined || !is_wanted || !d->program.begin)
        return;
    w->is_joined = 1;
    w->n_stuck_here = 0;
    copy_path(path, strobe_writer_loop_place(d)->capture);
    d->program.begin(d->program.user, w->number, path);
}

/* ---- the end of a window ---- */

/* Frees the window's entry in the pool, unless recovery still needs it. */
static void leave_window(StrobeWriterLoop *d, int is_whole)
{
    LoopWindow *w = &d->window;
    struct pool_window *place = strobe_writer_loop_place(d);

    strobe_rotation_end(&w->rotation);
    strobe_capture_writer_end(&w->writer);
    w->number = 0;
    STROBE_TESTPOINT("window-sealed");
    if (is_whole)
        atomic_store(&place->window, 0);
    ring_answer(d);
}

static void end_window(StrobeWriterLoop *d)
{
    LoopWindow *w = &d->window;
    const struct pool_window *place = strobe_writer_loop_place(d);

    w->begin = place->begin;
    w->end = atomic_load(&place->end);
    end_joined(d, w->end);
    w->n_stuck = place->n_stuck + w->n_stuck_here;
    w->has_strays = place->has_strays || w->n_stuck_here;
    strobe_flush_end_window(d);
    leave_window(d, 1);
}

/* Ends the current window of a program that has ended without ending the window. If the window has
 * no capture, it had not begun. */
static void finish_window(StrobeWriterLoop *d)
{
    int error = (int)atomic_load(&strobe_writer_loop_place(d)->error);

    end_joined(d, strobe_clock_now());
    if (d->window.writer.fd >= 0)
        error = d->program.finish(d->program.user, &d->window.writer);
    leave_window(d, error == 0 || error == ENOENT);
}

static int is_ended(const StrobeWriterLoop *d)
{
    return atomic_load(&strobe_writer_loop_place(d)->state) == STROBE_WINDOW_ENDED;
}

static void go_round(StrobeWriterLoop *d)
{
    adopt_window(d, 0);
    if (d->window.number == 0) {
        strobe_dump_answer(d, 0);
        return;
    }
    int has_ended = is_ended(d);
    follow_sampling(d);
    strobe_dump_answer(d, !has_ended);
    if (has_ended)
        end_window(d);
    else
        write_on(d);
}

/* Writes all windows after the end of the program. First releases the ring's lock, which a thread
 * of the program may have had when it ended. */
static void finish_all(StrobeWriterLoop *d)
{
    if (d->ring)
        atomic_store(&d->ring->busy, 0);
    for (unsigned i = 0; i < STROBE_POOL_WINDOWS; i++) {
        if (d->window.number == 0)
            adopt_window(d, 1);
        if (d->window.number == 0)
            return;
        if (is_ended(d)) {
            end_window(d);
            continue;
        }
        strobe_dump_answer(d, 1);
        finish_window(d);
    }
}

static int is_gone(const StrobeWriterLoop *d)
{
    return d->program.is_gone && d->program.is_gone(d->program.user);
}

void strobe_writer_loop_run(StrobeWriterLoop *d)
{
    int gone = 0;

    atomic_store(&d->control->writer_state, STROBE_WRITER_AT_WORK);
    ring_answer(d);
    while (!gone) {
        uint32_t bell = atomic_load(&d->control->bell), before = d->window.number;

        STROBE_TESTPOINT("writer-round");
        go_round(d);
        if (atomic_load(&d->control->is_stopping) && !strobe_pool_has_windows(d->pool))
            break;
        /* if a window was finished, the next window may already be waiting */
        if (before == 0 || d->window.number)
            strobe_bell_wait(&d->control->bell, bell, d->window.number ? d->poll_ns : IDLE_NS);
        gone = is_gone(d);
    }
    if (gone)
        finish_all(d);
    atomic_store(&d->control->writer_state, STROBE_WRITER_GONE);
    ring_answer(d);
}

/* ---- the loop ---- */

static int init_writer(const StrobeWriterLoop *d, StrobeCaptureWriter *writer)
{
    int error = strobe_capture_writer_init(writer);

    if (error == 0 && d->settings.compress == STROBE_COMPRESS_ZSTD)
        strobe_capture_writer_compress(writer);
    return error;
}

int strobe_writer_loop_init(StrobeWriterLoop *d, struct pool_header *pool,
                            const StrobeWriterLoopProgram *program)
{
    memset(d, 0, sizeof *d);
    d->window.writer.fd = d->other.fd = -1;
    d->window.rotation.folder = -1;
    d->pool = pool;
    d->control = &pool->control;
    d->settings = pool->control.settings;
    if (d->settings.flush_interval_ns < POLL_NS / 10)
        d->settings.flush_interval_ns = POLL_NS / 10;
    d->ring = d->settings.policy == STROBE_POLICY_RING ? strobe_pool_ring(pool) : NULL;
    d->seen = strobe_pool_at(pool, pool->seen_at);
    d->poll_ns = POLL_NS;
    d->deferred = STROBE_NO_BLOCK;
    if (program)
        d->program = *program;
    int error = init_writer(d, &d->window.writer);
    if (error == 0 && (d->ring || strobe_rotation_limits_any(&d->settings.rotation)))
        error = init_writer(d, &d->other);
    if (error)
        strobe_writer_loop_clear(d);
    return error;
}

void strobe_writer_loop_clear(StrobeWriterLoop *d)
{
    strobe_capture_writer_clear(&d->window.writer);
    strobe_capture_writer_clear(&d->other);
}
