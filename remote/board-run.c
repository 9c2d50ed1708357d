/* SPDX-License-Identifier: Apache-2.0 */
#include "board-run.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "guard-script.h"
#include "remote-flow.h"

#define WAIT_MS 20
#define PIPE_PART 4096 /* a writable pipe accepts at least this many bytes at once */
#define LEFTOVER_US (2 * G_USEC_PER_SEC)
/* longer than the 2 s after which the guard kills the program */
#define ASK_AGAIN_US (4 * G_USEC_PER_SEC)
#define LEFTOVER_BYTES (16 << 20) /* more bytes than can be on their way when the program ends */

typedef struct Running {
    StrobeFlow *flow;
    gint64 begin_us;
    gint64 open_us; /* last time at which the program's output was open */
    /* time at which the program ended, while processes of its group may still run; 0: it has not
     * ended */
    gint64 ended_us;
    /* last time at which output arrived, or waited until the reader of this process's output takes
     * it */
    gint64 moved_us;
    guint64 n_leftover; /* number of bytes that were passed on after the program ended */
    gint64 asked_us;    /* last time at which the guard was asked to end the program; 0: never */
    gboolean has_swept; /* the guard was asked to end the processes that the program left */
    GError *failure;
} Running;

static gboolean is_ready(int file, short events)
{
    struct pollfd polled = {.fd = file, .events = events};

    return poll(&polled, 1, 0) > 0;
}

static gssize fill_from_input(void *user, char *bytes, gsize size, GError **error)
{
    ssize_t n;

    (void)user;
    (void)error;
    if (!is_ready(STDIN_FILENO, POLLIN))
        return 0;
    n = read(STDIN_FILENO, bytes, size);
    return n > 0 ? n : -1;
}

/* Passes output of the program on as far as this is possible without waiting, so that a slow reader
 * slows down only the program. Drops the output if nothing reads it any more. */
static gssize take_to_output(void *user, gboolean is_error, const char *bytes, gsize length,
                             GError **error)
{
    const int file = is_error ? STDERR_FILENO : STDOUT_FILENO;
    Running *running = user;
    ssize_t n;

    (void)error;
    if (!is_ready(file, POLLOUT))
        return 0;
    n = write(file, bytes, MIN(length, PIPE_PART));
    if (n < 0)
        return errno == EINTR || errno == EAGAIN ? 0 : (gssize)length;
    running->n_leftover += running->ended_us ? (guint64)n : 0;
    return n;
}

/* Asks the guard to end the program. Does so again after ASK_AGAIN_US, because the program may have
 * started after the guard looked for it. */
static void ask_end(StrobeRemote *remote, Running *running)
{
    const gint64 now_us = g_get_monotonic_time();

    if (running->ended_us || (running->asked_us && now_us - running->asked_us < ASK_AGAIN_US))
        return;
    strobe_remote_end_program(remote);
    running->asked_us = now_us;
}

static void watch_time(StrobeRemote *remote, const StrobeBoardRun *run, Running *running,
                       StrobeBoardRunEnd *end)
{
    const gint64 now_us = g_get_monotonic_time();

    if (remote->signal)
        ask_end(remote, running);
    if (run->timeout_us && now_us - running->begin_us > run->timeout_us && !running->ended_us) {
        end->has_timed_out = TRUE;
        ask_end(remote, running);
    }
    if (!strobe_flow_end(running->flow)->is_known)
        return;
    if (!running->ended_us)
        running->ended_us = now_us;
    if (now_us - running->ended_us > LEFTOVER_US) {
        if (!running->has_swept)
            strobe_remote_end_program(remote);
        running->has_swept = TRUE;
    }
}

/* Whether the run is over: the program has ended, and its output too. If processes that the program
 * left keep the output open, or write without end, the run is over after some time or some
 * bytes. */
static gboolean is_over(const Running *running)
{
    if (strobe_flow_is_done(running->flow) && strobe_flow_end(running->flow)->is_known)
        return TRUE;
    if (!running->ended_us)
        return FALSE;
    return running->n_leftover > LEFTOVER_BYTES ||
           g_get_monotonic_time() - MAX(running->moved_us, running->ended_us) > 3 * LEFTOVER_US;
}

/* Passes on the output that has arrived. Returns whether there was any. Leaves an error in
 * running->failure for run_to_end(). */
static gboolean step_program(void *user)
{
    Running *running = user;
    gboolean moved = FALSE;

    g_clear_error(&running->failure);
    strobe_flow_step(running->flow, &moved, &running->failure);
    if (moved || (strobe_flow_has_output(running->flow) && !running->asked_us))
        running->moved_us = g_get_monotonic_time();
    return moved;
}

/* Whether the program's output has been closed for LEFTOVER_US. Some servers send no status when
 * the program ends. */
static gboolean is_closed(Running *running)
{
    if (!strobe_flow_is_done(running->flow))
        running->open_us = g_get_monotonic_time();
    return g_get_monotonic_time() - running->open_us > LEFTOVER_US;
}

/* Whether a program that failed may have been ended by the guard, because the guard heard nothing
 * for 30 s: then the guard answers no more. */
static gboolean may_be_lost(const Running *running)
{
    const StrobeChannelEnd *end = strobe_flow_end(running->flow);

    return end->is_known && end->status != 0 && !running->asked_us;
}

static gboolean run_to_end(StrobeRemote *remote, const StrobeBoardRun *run, Running *running,
                           StrobeBoardRunEnd *end, GError **error)
{
    while (!is_over(running) && !is_closed(running)) {
        if (!strobe_remote_turn(remote, WAIT_MS, error))
            return FALSE;
        if (running->failure) {
            g_propagate_error(error, g_steal_pointer(&running->failure));
            return FALSE;
        }
        watch_time(remote, run, running, end);
        if (run->meanwhile && !running->ended_us && !run->meanwhile(run->user, error))
            return FALSE;
    }
    return !may_be_lost(running) || strobe_remote_beat(remote, error);
}

gboolean strobe_board_run(StrobeRemote *remote, const StrobeBoardRun *run, StrobeBoardRunEnd *end,
                          GError **error)
{
    g_autofree char *line = g_strconcat(run->line, run->has_input ? "" : " </dev/null", NULL);
    g_autofree char *command = strobe_guard_program_command(remote->folder, line);
    Running running = {.begin_us = g_get_monotonic_time()};
    const StrobeFlowCalls calls = {run->has_input ? fill_from_input : NULL, take_to_output,
                                   &running};

    *end = (StrobeBoardRunEnd){0};
    running.flow = strobe_flow_begin(remote, command, &calls);
    running.open_us = running.begin_us;
    remote->background = step_program;
    remote->background_user = &running;
    const gboolean good = run_to_end(remote, run, &running, end, error);
    remote->background = NULL;
    end->end = *strobe_flow_end(running.flow);
    g_clear_error(&running.failure);
    strobe_flow_free(running.flow);
    return good;
}
