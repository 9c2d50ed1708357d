/* SPDX-License-Identifier: Apache-2.0 */
#include "death-load.h"

#include <string.h>
#include <strobe/kinds.h>
#include <strobe/strobe.h>
#include <sys/wait.h>
#include <unistd.h>
#include "kind-table.h"
#include "thread-buffer.h"
#include "async-span.h"
#include "support.h"

#define WINDOW_US 12000
#define BULK_RECORDS 2000

struct load {
    struct death_progress *progress;
    guint index;
    gboolean is_fast;
};

static guint32 window_now(void)
{
    return __atomic_load_n(&strobe_gate, __ATOMIC_ACQUIRE);
}

/* Whether all that happened after `window` was read certainly happened in this window. */
static gboolean is_certain(const struct death_progress *progress, guint32 window)
{
    return window && !g_atomic_int_get(&progress->is_closing) && window_now() == window;
}

static void one_mark(struct load *load, guint64 i)
{
    guint8 *state = &load->progress->marks[load->index][i];
    guint32 window = window_now();
    char name[32];

    g_snprintf(name, sizeof name, "mark %u.%" G_GUINT64_FORMAT, load->index, i);
    load->progress->mark_window[load->index][i] = (guint8)window;
    *state = DEATH_BEGUN;
    strobe_mark_recorded(name, i);
    if (is_certain(load->progress, window))
        *state = DEATH_COMMITTED;
}

/* Begins a range, in turn with a token, as a keyed span and as an async span. */
static StrobeRange begin_range(const char *name, guint64 i)
{
    StrobeRange range = {0};

    if (i % 3 == 0)
        range = strobe_range_begin_argument(name, i);
    else if (i % 3 == 1)
        strobe_thread_buffer_span_open(NULL, i, STROBE_KIND_ID_MARKER, name, i);
    else
        strobe_thread_buffer_async_open(NULL, i, STROBE_KIND_ID_MARKER, name, i);
    return range;
}

static void end_range(StrobeRange range, guint64 i)
{
    const struct strobe_marker fields = {i};

    if (i % 3 == 0)
        strobe_range_end(range);
    else if (i % 3 == 1)
        strobe_thread_buffer_span_close(NULL, i, STROBE_KIND_ID_MARKER, &fields, sizeof fields);
    else
        strobe_thread_buffer_async_close(NULL, i, STROBE_KIND_ID_MARKER, &fields, sizeof fields);
}

static void one_range(struct load *load, guint64 i)
{
    guint8 *state = &load->progress->ranges[load->index][i];
    guint32 window = window_now();
    char outer_name[16], name[16];

    g_snprintf(outer_name, sizeof outer_name, "open %u", load->index);
    g_snprintf(name, sizeof name, "range %u", load->index);
    load->progress->range_window[load->index][i] = (guint8)window;
    *state = DEATH_BEGUN;
    StrobeRange outer = strobe_range_begin_argument(outer_name, i);
    StrobeRange range = begin_range(name, i);
    gboolean begun = is_certain(load->progress, window);
    end_range(range, i);
    if (begun && window_now() == window)
        *state = DEATH_COMMITTED;
    strobe_range_end(outer);
}

static void one_refusal(struct death_progress *progress)
{
    guint32 window = window_now();
    StrobeWriter *writer = strobe_thread_buffer_writer();

    if (!writer)
        return;
    __atomic_add_fetch(&progress->refused_most, 1, __ATOMIC_RELAXED);
    strobe_thread_buffer_reserve_bulk(writer, 0, 1);
    if (is_certain(progress, window))
        __atomic_add_fetch(&progress->refused_least, 1, __ATOMIC_RELAXED);
}

/* Records instants without a name, which fill most of a block. */
static void one_bulk(void)
{
    StrobeWriter *writer = strobe_thread_buffer_writer();
    guint64 *out =
        writer ? strobe_thread_buffer_reserve_bulk(writer, BULK_RECORDS * 24, BULK_RECORDS) : NULL;

    for (guint i = 0; out && i < BULK_RECORDS; i++) {
        *out++ = (guint64)STROBE_KIND_ID_MARKER_INSTANT << 16 | 3;
        *out++ = strobe_clock_now();
        *out++ = 0;
    }
    if (out)
        strobe_thread_buffer_commit(writer);
}

static gpointer load_main(gpointer data)
{
    struct load *load = data;
    guint64 i = 0;

    while (i < DEATH_RECORDS_MAX && !g_atomic_int_get(&load->progress->is_over)) {
        if (!window_now()) {
            g_usleep(50);
            continue;
        }
        one_range(load, i);
        one_mark(load, i);
        g_atomic_int_inc(&load->progress->n_done[load->index]);
        if (++i % 64)
            continue;
        one_refusal(load->progress);
        if (load->is_fast)
            one_bulk();
        else
            g_usleep(50);
    }
    return NULL;
}

/* Returns a number that no other range "open" has. */
static guint64 next_number(void)
{
    static gint number;

    return (guint64)g_atomic_int_add(&number, 1);
}

/* Begins ranges that never end. */
static gpointer leave_open(gpointer data)
{
    for (guint i = 0; i < 3; i++)
        strobe_range_begin_argument("open", next_number());
    return NULL;
}

static gpointer end_there(gpointer key)
{
    strobe_thread_buffer_async_close(NULL, GPOINTER_TO_SIZE(key), STROBE_KIND_ID_MARKER, NULL, 0);
    return NULL;
}

/* Begins an async span, which another thread ends. */
static void hand_over(void)
{
    gsize key = G_MAXSIZE >> 1;

    strobe_thread_buffer_async_open(NULL, key, STROBE_KIND_ID_MARKER, "open", next_number());
    g_thread_join(g_thread_new("short", end_there, GSIZE_TO_POINTER(key)));
}

/* Waits, without a time limit, until each thread has recorded `least` more records. */
static void wait_for_records(struct death_progress *progress, guint least)
{
    for (guint i = 0; i < DEATH_THREADS; i++) {
        gint until = g_atomic_int_get(&progress->n_done[i]) + (gint)least;
        while (g_atomic_int_get(&progress->n_done[i]) < MIN(until, DEATH_RECORDS_MAX))
            g_usleep(500);
    }
}

static void one_window(StrobeSession *session, const struct death_plan *plan,
                       struct death_progress *progress)
{
    strobe_session_start(session, NULL);
    g_atomic_int_set(&progress->is_closing, 0);
    g_thread_join(g_thread_new("short", leave_open, NULL));
    leave_open(NULL);
    hand_over();
    g_usleep(WINDOW_US);
    wait_for_records(progress, plan->window_records);
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    waitpid(pid, NULL, 0);
    for (guint i = 0; plan->dumps && i < 3; i++)
        strobe_session_dump(session, "test", NULL, NULL);
    g_atomic_int_set(&progress->is_closing, 1);
    strobe_session_stop(session, NULL);
}

void death_run(const char *folder, const struct death_plan *plan, struct death_progress *progress)
{
    StrobeSession *session = session_new(folder, "{}", plan->config);
    struct load loads[DEATH_THREADS];
    GThread *threads[DEATH_THREADS];

    for (guint i = 0; i < DEATH_THREADS; i++) {
        loads[i] = (struct load){progress, i, plan->is_fast};
        threads[i] = g_thread_new("load", load_main, &loads[i]);
    }
    for (guint i = 0; i < DEATH_WINDOWS; i++)
        one_window(session, plan, progress);
    g_atomic_int_set(&progress->is_over, 1);
    for (guint i = 0; i < DEATH_THREADS; i++)
        g_thread_join(threads[i]);
    strobe_session_free(session);
    _exit(0);
}
