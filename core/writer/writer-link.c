/* SPDX-License-Identifier: Apache-2.0 */
#include "writer-link.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "abandoned.h"
#include "beside-process.h"
#include "writer-loop.h"
#include "pool-bell.h"
#include "process.h"
#include "run-link.h"

/* Interval at which a waiting call checks whether the writer still exists. */
#define LOOK_NS 100000000
/* Interval at which a starting writer is checked. */
#define START_LOOK_NS 5000000
/* Maximum start time of a writer process that this program starts, and of one that `strobe run`
 * starts. */
#define START_NS 5000000000
#define RUN_START_NS 2000000000
/* Maximum time for which the begin of a window waits for the writer. */
#define ADOPTION_NS 1000000000

/* ---- the thread ---- */

static int look_for_program(void *user)
{
    (void)user;
    strobe_look_for_program();
    return 0;
}

static void *thread_main(void *user)
{
    prctl(PR_SET_NAME, "strobe-writer");
    strobe_writer_loop_run(user);
    return NULL;
}

static int run_thread(StrobeWriterLink *link)
{
    const StrobeWriterLoopProgram program = {.is_gone = look_for_program,
                                             .make_dump = link->make_dump,
                                             .segment_done = link->segment_done,
                                             .user = link->user};
    StrobeWriterLoop *loop = calloc(1, sizeof *loop);
    int error = loop ? strobe_writer_loop_init(loop, link->pool, &program) : ENOMEM;

    if (error == 0) {
        error = strobe_thread_start(&link->thread, thread_main, loop);
        if (error)
            strobe_writer_loop_clear(loop);
    }
    if (error) {
        free(loop);
        loop = NULL;
    }
    atomic_thread_fence(memory_order_release); /* so that a child that is forked now sees all of
                                                  these stores or none */
    link->loop = loop;
    return error;
}

/* ---- the process ---- */

static int64_t deadline_in(int64_t ns)
{
    return strobe_clock_ns(CLOCK_MONOTONIC) + ns;
}

/* Waits until the writer process has begun to work; returns 0 or an errno value. `pid` is 0 if its
 * process id is unknown. */
static int await_process(const StrobePool *pool, pid_t pid, int is_of_run, int64_t patience_ns)
{
    struct pool_control *control = &pool->header->control;
    int64_t deadline = deadline_in(patience_ns);
    uint32_t answer;

    do {
        answer = atomic_load(&control->answer);
        if (strobe_writer_is_gone(pool->header))
            return ESRCH;
        if (atomic_load(&control->writer_state) == STROBE_WRITER_AT_WORK)
            return 0;
        if (is_of_run && strobe_run_has_refused(pool->path))
            return ESRCH;
        if (pid && !strobe_process_is_there(pid, STROBE_WRITER_NAME))
            return ESRCH;
        strobe_bell_wait(&control->answer, answer, START_LOOK_NS);
    } while (strobe_clock_ns(CLOCK_MONOTONIC) < deadline);
    return ETIMEDOUT;
}

static int start_by_run(const StrobePool *pool)
{
    int error = strobe_run_request_writer(pool->path);

    return error ? error : await_process(pool, 0, 1, RUN_START_NS);
}

static int start_process(StrobeWriterLink *link, const StrobePool *pool)
{
    const StrobeBesideProcess writer = {
        .name = STROBE_WRITER_NAME, .arguments = {pool->path}, .descriptor = -1};
    pid_t pid;

    link->run_error = start_by_run(pool);
    if (link->run_error == 0)
        return 0;
    /* clears the word, in which the kernel has marked the end of the writer */
    if (link->run_error == ESRCH)
        atomic_store(&pool->header->control.writer, 0);
    int error = strobe_beside_process_start(&writer, &pid);
    return error ? error : await_process(pool, pid, 0, START_NS);
}

/* Starts a writer thread. If a writer process has the lock, that process was only slow to start,
 * and this function waits for it again. Otherwise this program takes the lock, so that a process
 * that starts later cannot take it. */
static int start_thread(StrobeWriterLink *link, const StrobePool *pool)
{
    struct pool_control *control = &pool->header->control;
    int error = strobe_pool_lock_for_writer(pool);

    if (error == EAGAIN || error == EACCES)
        return await_process(pool, 0, 0, START_NS);
    if (error)
        return error;
    atomic_store(&control->writer, 0);
    atomic_store(&control->writer_state, STROBE_WRITER_AT_WORK);
    return run_thread(link);
}

int strobe_link_start(StrobeWriterLink *link, StrobePool *pool, int may_start_process)
{
    link->pool = pool->header;
    link->process_error = may_start_process ? start_process(link, pool) : 0;
    int error = may_start_process && link->process_error == 0 ? 0 : start_thread(link, pool);
    if (error == 0 && !link->loop)
        strobe_pool_close_file(pool);
    return error;
}

int strobe_link_stop(StrobeWriterLink *link)
{
    struct pool_control *control = &link->pool->control;

    if (!link->loop && strobe_writer_is_gone(link->pool))
        return !strobe_pool_has_windows(link->pool);
    atomic_store(&control->is_stopping, 1);
    strobe_bell_ring(&control->bell);
    if (!link->loop)
        return 0;
    pthread_join(link->thread, NULL);
    strobe_writer_loop_clear(link->loop);
    free(link->loop);
    link->loop = NULL;
    return 1;
}

/* ---- waiting ---- */

/* Sleeps until the writer's next answer, at most `ns`; 0: the writer has ended. */
static int sleep_until_answer(StrobeWriterLink *link, uint32_t seen, int64_t ns)
{
    struct pool_control *control = &link->pool->control;

    if (!strobe_writer_is_gone(link->pool))
        strobe_bell_wait(&control->answer, seen, ns < LOOK_NS ? ns : LOOK_NS);
    return atomic_load(&control->answer) != seen || !strobe_writer_is_gone(link->pool);
}

static int has_place(const StrobeWriterLink *link, uint32_t window)
{
    int is_ring = link->pool->control.settings.policy == STROBE_POLICY_RING;

    if (atomic_load(&strobe_pool_window(link->pool, window)->window))
        return 0;
    /* With a ring, the previous window must be written first, because a ring contains only one
     * window. */
    return !is_ring || !atomic_load(&strobe_pool_window(link->pool, window - 1)->window);
}

int strobe_link_await_place(StrobeWriterLink *link, uint32_t window)
{
    struct pool_header *pool = link->pool;
    uint32_t seen = atomic_load(&pool->control.answer);

    while (!has_place(link, window)) {
        if (!sleep_until_answer(link, seen, LOOK_NS))
            return EOWNERDEAD;
        seen = atomic_load(&pool->control.answer);
    }
    /* Losses since the last window belong to no window, except late records, which belong to the
     * last window. */
    if (atomic_load(&strobe_pool_window(pool, window - 1)->window) == 0)
        for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
            if (cause != STROBE_LOSS_LATE)
                pool->lost_reported[cause] = atomic_load(&pool->lost[cause]);
    return 0;
}

int strobe_link_wait(StrobeWriterLink *link, uint32_t window, int64_t patience_ns)
{
    const struct pool_window *place = strobe_pool_window(link->pool, window);
    int64_t deadline = deadline_in(patience_ns), left = LOOK_NS;

    for (;;) {
        uint32_t seen = atomic_load(&link->pool->control.answer);
        if (atomic_load(&place->window) != window ||
            atomic_load(&place->state) != STROBE_WINDOW_ENDED)
            return (int)atomic_load(&place->error);
        if (patience_ns >= 0)
            left = deadline - strobe_clock_ns(CLOCK_MONOTONIC);
        if (left <= 0)
            return EINPROGRESS;
        if (!sleep_until_answer(link, seen, left))
            return EOWNERDEAD;
    }
}

/* ---- windows ---- */

void strobe_link_name_window(StrobeWriterLink *link, uint32_t window)
{
    struct pool_window *place = strobe_pool_window(link->pool, window);

    place->n_stuck = place->has_strays = 0;
    atomic_store(&place->error, 0);
    atomic_store(&place->end, 0);
    atomic_store(&place->state, 0);
    atomic_store(&place->window, window);
}

/* Waits until the writer has opened the window, at most ADOPTION_NS. */
static void await_adoption(StrobeWriterLink *link, uint32_t window)
{
    const struct pool_window *place = strobe_pool_window(link->pool, window);
    int64_t deadline = deadline_in(ADOPTION_NS);
    uint32_t seen;

    if (atomic_load(&strobe_pool_window(link->pool, window - 1)->window))
        return;
    do
        seen = atomic_load(&link->pool->control.answer);
    while (atomic_load(&place->state) == STROBE_WINDOW_OPEN &&
           strobe_clock_ns(CLOCK_MONOTONIC) < deadline && sleep_until_answer(link, seen, LOOK_NS));
}

int strobe_link_begin_window(StrobeWriterLink *link, uint32_t window)
{
    struct pool_window *place = strobe_pool_window(link->pool, window);

    atomic_store(&place->state, STROBE_WINDOW_OPEN);
    strobe_bell_ring(&link->pool->control.bell);
    await_adoption(link, window);
    return (int)atomic_load(&place->error);
}

void strobe_link_end_sampling(StrobeWriterLink *link)
{
    if (atomic_exchange(&link->pool->control.sample_window, 0))
        strobe_bell_ring(&link->pool->control.bell);
}

/* Have the collectors in the writer process started in the window? */
static int is_sampling(const struct pool_control *control, uint32_t window)
{
    return atomic_load(&control->sampled_window) == window &&
           atomic_load(&control->paused_now) == atomic_load(&control->paused);
}

static void await_sampling(StrobeWriterLink *link, uint32_t window)
{
    const struct pool_control *control = &link->pool->control;
    int64_t deadline = deadline_in(ADOPTION_NS);
    uint32_t seen;

    strobe_bell_ring(&link->pool->control.bell);
    do
        seen = atomic_load(&control->answer);
    while (!is_sampling(control, window) &&
           !atomic_load(&strobe_pool_window(link->pool, window - 1)->window) &&
           strobe_clock_ns(CLOCK_MONOTONIC) < deadline && sleep_until_answer(link, seen, LOOK_NS));
}

void strobe_link_begin_sampling(StrobeWriterLink *link, uint32_t window)
{
    atomic_store(&link->pool->control.paused, 0); /* a pause ends with its window */
    atomic_store(&link->pool->control.sample_window, window);
    await_sampling(link, window);
}

void strobe_link_pause(StrobeWriterLink *link, uint64_t paused, uint64_t resumed)
{
    struct pool_control *control = &link->pool->control;
    const uint32_t window = atomic_load(&control->sample_window);

    if (!window)
        return;
    atomic_fetch_or(&control->paused, paused);
    atomic_fetch_and(&control->paused, ~resumed);
    await_sampling(link, window);
}

/* Stores the losses so far, so that losses of the next window are not counted in this window. */
void strobe_link_shut_window(StrobeWriterLink *link, uint32_t window, uint64_t end)
{
    strobe_capture_read_losses(link->pool, strobe_pool_ending(link->pool, window));
    atomic_store(&strobe_pool_window(link->pool, window)->end, end);
}

void strobe_link_end_window(StrobeWriterLink *link, uint32_t window, uint64_t end, unsigned n_stuck,
                            int has_strays)
{
    struct pool_window *place = strobe_pool_window(link->pool, window);

    place->n_stuck = n_stuck;
    place->has_strays = has_strays || n_stuck;
    strobe_link_shut_window(link, window, end);
    atomic_store(&place->state, STROBE_WINDOW_ENDED);
    strobe_bell_ring(&link->pool->control.bell);
}

/* ---- dumps, segments and losses ---- */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void strobe_link_request_dump(StrobeWriterLink *link, uint32_t why)
{
    atomic_fetch_or(&link->pool->control.dump_wanted, why);
}

void strobe_link_request_step_dump(StrobeWriterLink *link, const char *reason)
{
    struct pool_control *control = &link->pool->control;

    if (atomic_load(&control->dump_wanted) & STROBE_DUMP_BY_STEP)
        return;
    snprintf(control->step_reason, sizeof control->step_reason, "%s", reason);
    strobe_link_request_dump(link, STROBE_DUMP_BY_STEP);
}

int strobe_link_dump(StrobeWriterLink *link, const char *reason, char path[PATH_MAX])
{
    struct pool_control *control = &link->pool->control;
    int error = EOWNERDEAD, is_waiting = 1;

    pthread_mutex_lock(&one_at_a_time);
    snprintf(control->call_reason, sizeof control->call_reason, "%s", reason);
    strobe_link_request_dump(link, STROBE_DUMP_AND_WAIT);
    uint32_t seen = atomic_load(&control->answer);
    strobe_bell_ring(&control->bell);
    while ((is_waiting = (atomic_load(&control->dump_wanted) & STROBE_DUMP_AND_WAIT) != 0) &&
           sleep_until_answer(link, seen, LOOK_NS))
        seen = atomic_load(&control->answer);
    if (!is_waiting) {
        memcpy(path, control->reply.path, PATH_MAX);
        error = (int)control->reply.error;
    }
    atomic_fetch_and(&control->dump_wanted, ~(uint32_t)STROBE_DUMP_AND_WAIT);
    pthread_mutex_unlock(&one_at_a_time);
    return error;
}

int strobe_link_take_dump(StrobeWriterLink *link, uint32_t *n_taken, struct pool_dump *dump)
{
    struct pool_control *control = &link->pool->control;
    uint32_t n = atomic_load(&control->n_dumps);

    if (n == *n_taken)
        return 0;
    if (n - *n_taken > STROBE_DUMPS)
        *n_taken = n - STROBE_DUMPS;
    *dump = control->dumps[(*n_taken)++ % STROBE_DUMPS];
    return 1;
}

uint32_t strobe_link_refused_dumps(const StrobeWriterLink *link)
{
    return atomic_load(&link->pool->control.n_refused_dumps);
}

void strobe_link_roll(StrobeWriterLink *link)
{
    atomic_store(&link->pool->control.roll, 1);
    strobe_bell_ring(&link->pool->control.bell);
}

void strobe_link_losses(StrobeWriterLink *link, uint64_t lost[STROBE_LOSS_CAUSES])
{
    for (uint32_t window = 0; window < STROBE_POOL_WINDOWS; window++) {
        uint32_t number = atomic_load(&link->pool->windows[window].window);
        if (number)
            strobe_link_wait(link, number, -1);
    }
    for (uint32_t cause = 0; cause < STROBE_LOSS_CAUSES; cause++)
        lost[cause] = atomic_load(&link->pool->control.window_lost[cause]);
}

void strobe_link_forget(StrobeWriterLink *link)
{
    pthread_mutex_init(&one_at_a_time, NULL);
    if (link->loop) {
        if (link->loop->window.writer.fd >= 0)
            close(link->loop->window.writer.fd);
        if (link->loop->other.fd >= 0)
            close(link->loop->other.fd);
        strobe_rotation_end(&link->loop->window.rotation);
        strobe_capture_writer_forget(&link->loop->window.writer);
        strobe_capture_writer_forget(&link->loop->other);
        free(link->loop);
    }
    memset(link, 0, sizeof *link);
}
