/* SPDX-License-Identifier: Apache-2.0 */
/* Tests races at the end of a window and the begin of the next whose order is fixed: a thread is
 * held at a test point of the recorder while others continue. */
#include <pthread.h>
#include <strobe/kinds.h>
#include "actor.h"
#include "hold.h"
#include "kind-table.h"
#include "thread-buffer.h"
#include "recorder.h"
#include "support.h"

/* ---- windows that close ---- */

static void mark_times(const char *name, guint n)
{
    while (n--)
        strobe_mark(name);
}

static gpointer stop_main(gpointer session)
{
    strobe_session_stop(session, NULL);
    return NULL;
}

/* Stops the session in another thread, and returns this thread when the gate is closed. */
static GThread *begin_stop(StrobeSession *session)
{
    GThread *thread = g_thread_new("stop", stop_main, session);

    while (strobe_enabled())
        g_usleep(50);
    return thread;
}

/* A thread is held in a critical section, for a shorter time than the window's end waits for it. */
static void test_slow_critical_section(void)
{
    static const struct {
        const char *point;
        void (*act)(struct actor *);
        guint stored; /* number of marks or ranges that are stored */
    } cases[] = {
        /* the thread had not read the gate yet, so its record begins after the window */
        {"thread-buffer-busy", act_mark, 0}, {"record-reserved", act_mark, 1},
        {"record-filled", act_mark, 1},      {"string-placed", act_mark, 1},
        {"string-numbered", act_mark, 1},    {"string-published", act_mark, 1},
        {"span-filled", act_range, 1}, /* stored as unfinished */
        {"span-ending", act_range, 1},
    };
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("slow %u", i);
        struct actor actor = {.point = cases[i].point, .act = cases[i].act, .text = text};
        strobe_session_start(session, NULL);
        actor_hold(&actor);
        GThread *stop = begin_stop(session);
        actor_finish(&actor);
        g_thread_join(stop);
        g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
        g_autoptr(GHashTable) ranges = names_of(session, "marker");
        g_test_message("held at %s", cases[i].point);
        g_assert_cmpuint(count_of(marks, text) + count_of(ranges, text), ==, cases[i].stored);
        g_assert_cmpuint(count_of(marks, "before"), ==, 1);
        g_assert_cmpuint(lost_in_all(), ==, 0);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

static const struct stuck_case {
    const char *point;
    void (*act)(struct actor *);
    guint lost;   /* number of records that were offered and are not stored */
    guint stored; /* number of stored records, with those that the action had committed before */
} stuck_cases[] = {
    {"thread-buffer-busy", act_mark, 1, 0},
    {"record-reserved", act_mark, 1, 0},
    {"record-filled", act_mark, 1, 0},
    {"string-numbered", act_mark, 1, 0},
    {"string-published", act_mark, 1, 0},
    {"span-filled", act_range, 1, 0},
    {"span-ending", act_range, 0, 1}, /* stored as unfinished */
    {"span-ending", act_async, 0, 1}, /* stored as unfinished */
    {"block-detached", act_many, 1, BLOCK_MARKS - 1},
    {"block-taken", act_many, 1, BLOCK_MARKS - 1},
    {"block-owned", act_many, 1, BLOCK_MARKS - 1},
    {"free-loaded", act_many, 1, BLOCK_MARKS - 1},
};

#define N_STUCK G_N_ELEMENTS(stuck_cases)

static void hold_all(struct actor *actors, char **texts)
{
    for (guint i = 0; i < N_STUCK; i++) {
        texts[i] = g_strdup_printf("stuck %u", i);
        actors[i] = (struct actor){
            .point = stuck_cases[i].point, .act = stuck_cases[i].act, .text = texts[i]};
        actor_hold(&actors[i]);
    }
}

static void finish_all(struct actor *actors, char **texts)
{
    for (guint i = 0; i < N_STUCK; i++) {
        actor_finish(&actors[i]);
        g_free(texts[i]);
    }
}

static void check_stuck(StrobeSession *session, char **texts)
{
    g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
    g_autoptr(GHashTable) ranges = names_of(session, "marker");
    guint lost = 0;

    for (guint i = 0; i < N_STUCK; i++) {
        g_test_message("held at %s", stuck_cases[i].point);
        g_assert_cmpuint(count_of(marks, texts[i]) + count_of(ranges, texts[i]), ==,
                         stuck_cases[i].stored);
        lost += stuck_cases[i].lost;
    }
    g_assert_cmpuint(count_of(marks, "before"), ==, N_STUCK);
    g_assert_cmpuint(lost_by(STROBE_LOSS_LATE), ==, lost);
    g_assert_cmpuint(lost_in_all(), ==, lost);
}

/* Threads are stopped inside of their critical sections, as by a debugger. The window ends without
 * them, the records that they were making are counted as late, and the next window contains none of
 * these. */
static void test_stuck(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actors[N_STUCK];
    char *texts[N_STUCK];

    strobe_session_start(session, NULL);
    hold_all(actors, texts);
    gint64 before = g_get_monotonic_time();
    strobe_session_stop(session, NULL);
    /* the window's end waits once, for a second, for all threads */
    g_assert_cmpint(g_get_monotonic_time() - before, <, (gint64)N_STUCK * 1000000 / 2);
    check_stuck(session, texts);
    strobe_session_start(session, NULL);
    strobe_mark("next");
    finish_all(actors, texts);
    strobe_mark("next");
    strobe_session_stop(session, NULL);
    g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
    /* The marks "before" were in the previous window. Threads that filled blocks have made later
     * marks in this one. */
    for (guint i = 0; i < N_STUCK; i++)
        g_assert_cmpuint(count_of(marks, "before"), ==, 0);
    g_assert_cmpuint(count_of(marks, "next"), ==, 2);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The stopped threads continue when another session runs, which has another pool. Their records
 * must not get into it. */
static void test_stuck_beyond_session(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct actor actors[N_STUCK];
    char *texts[N_STUCK];

    strobe_session_start(session, NULL);
    hold_all(actors, texts);
    strobe_session_free(session);
    session = session_new(folder, "{}", NULL);
    strobe_session_start(session, NULL);
    finish_all(actors, texts);
    for (guint i = 0; i < 10000; i++)
        strobe_mark("next");
    strobe_session_stop(session, NULL);
    g_autoptr(GHashTable) marks = names_of(session, "marker_instant");
    g_assert_cmpuint(count_of(marks, "next"), ==, 10000);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Returns the number of marks that a window stores while the writer thread is stopped. */
static guint measure_capacity(StrobeSession *session)
{
    Hold *hold = hold_at("full-taken", 1);

    strobe_session_start(session, NULL);
    hold_wait(hold);
    mark_times("fill", 200 * BLOCK_MARKS);
    hold_release(hold);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(lost_by(STROBE_LOSS_POOL_EMPTY), >, 0);
    return marks_of(session, "fill");
}

/* When stopped threads continue, they return their blocks, so that the pool has as many blocks as
 * before. */
static void test_stuck_blocks(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\"}");
    struct actor actors[N_STUCK];
    char *texts[N_STUCK];
    guint before = measure_capacity(session);

    strobe_session_start(session, NULL);
    hold_all(actors, texts);
    strobe_session_stop(session, NULL);
    strobe_session_start(session, NULL);
    finish_all(actors, texts);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "before"), ==, 0);
    g_assert_cmpuint(measure_capacity(session), ==, before);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A thread ends at the same time as the window. */
static void test_exit(void)
{
    static const char *const points[] = {"thread-exits", "thread-detached"};
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);

    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        struct actor actor = {.point = points[i], .act = act_nothing};
        strobe_session_start(session, NULL);
        actor_hold(&actor);
        strobe_session_stop(session, NULL);
        g_assert_cmpuint(marks_of(session, "before"), ==, 1);
        strobe_session_start(session, NULL);
        strobe_mark("next");
        actor_finish(&actor);
        strobe_mark("next");
        strobe_session_stop(session, NULL);
        g_assert_cmpuint(marks_of(session, "next"), ==, 2);
        g_assert_cmpuint(lost_in_all(), ==, 0);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- threads that arrive when the gate is closed ---- */

/* A thread that opens keyed spans on request. This call reads the gate only inside of the critical
 * section. */
struct passer {
    GThread *thread;
    Hold *hold;
    guint thread_buffer; /* index of its thread buffer */
    gint go;
};

static gpointer passer_main(gpointer data)
{
    struct passer *passer = data;

    strobe_mark("before");
    strobe_range_begin("left open");
    passer->thread_buffer = strobe_thread_buffer_writer()->index;
    passer->hold = hold_me_at("thread-buffer-busy", 1);
    g_atomic_int_set(&passer->go, 1);
    while (g_atomic_int_get(&passer->go) != 2)
        g_usleep(50);
    strobe_thread_buffer_span_open(NULL, 7, STROBE_KIND_ID_MARKER, "too late", 0);
    return NULL;
}

static void passer_start(struct passer *passer)
{
    *passer = (struct passer){0};
    passer->thread = g_thread_new("passer", passer_main, passer);
    while (!g_atomic_int_get(&passer->go))
        g_usleep(50);
}

/* Lets the thread begin a call. When this returns, the thread is in its critical section, and has
 * not read the gate yet. */
static void passer_go(struct passer *passer)
{
    g_atomic_int_set(&passer->go, 2);
    hold_wait(passer->hold);
}

static void passer_finish(struct passer *passer)
{
    hold_release(passer->hold);
    g_thread_join(passer->thread);
}

/* The thread enters its critical section while the window's end is held at its `nth` arrival at
 * `point`, and leaves it soon. Checks that all records of the window in its thread buffer are in
 * the capture, and that the window has lost none. */
static void pass_by(StrobeSession *session, struct passer *passer, const char *point, guint nth)
{
    Hold *shut = hold_at(point, nth);
    GThread *stop = begin_stop(session);

    hold_wait(shut);
    passer_go(passer);
    hold_release(shut);
    g_thread_join(stop);
    g_assert_false(strobe_thread_buffer_is_stuck(passer->thread_buffer));
    passer_finish(passer);
    g_autoptr(GHashTable) ranges = names_of(session, "marker");
    g_assert_cmpuint(marks_of(session, "before"), ==, 1);
    g_assert_cmpuint(count_of(ranges, "left open"), ==, 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
}

/* The thread enters a critical section just after the window's end has seen it outside of one. */
static void test_pass_by(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct passer passer;

    strobe_session_start(session, NULL);
    passer_start(&passer);
    pass_by(session, &passer, "window-shut", 1);
    strobe_session_start(session, NULL);
    passer_start(&passer);
    pass_by(session, &passer, "thread-buffer-outside", passer.thread_buffer + 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A thread that has recorded only in a session that was freed is stopped in a critical section when
 * a window of another session ends. This window has lost no record. */
static void test_stuck_from_before(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct passer passer;

    strobe_session_start(session, NULL);
    passer_start(&passer);
    strobe_session_free(session);
    session = session_new(folder, "{}", NULL);
    strobe_session_start(session, NULL);
    strobe_mark("next");
    passer_go(&passer);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(marks_of(session, "next"), ==, 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    passer_finish(&passer);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- windows that overlap ---- */

/* A window begins and fills blocks while the rest of the previous window is being written. The
 * window of a flight recorder begins only when this is written. */
static void overlap_windows(const char *policy, const char *point)
{
    char *folder = scratch_new();
    g_autofree char *buffer =
        g_strdup_printf("\"buffer\": {\"size\": \"8MB\", \"policy\": \"%s\"}", policy);
    StrobeSession *session = session_new(folder, "{}", buffer);
    const struct {
        const char *name;
        guint marks;
    } windows[] = {{"first", 20 * BLOCK_MARKS}, {"second", 10 * BLOCK_MARKS}};
    g_autofree char *first = NULL;

    strobe_session_start(session, NULL);
    mark_times(windows[0].name, windows[0].marks);
    first = capture_of(session);
    Hold *hold = hold_at(point, 1);
    strobe_session_stop(session, NULL); /* waits only for a limited time */
    hold_wait(hold);
    strobe_session_start(session, NULL);
    mark_times(windows[1].name, windows[1].marks);
    hold_release(hold);
    g_usleep(50000);
    mark_times(windows[1].name, 1);
    strobe_session_stop(session, NULL);
    g_test_message("%s, held at %s", policy, point);
    g_assert_cmpuint(marks_of(session, windows[1].name), ==, windows[1].marks + 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    g_assert_cmpuint(read_capture(first, "marker_instant", NULL, NULL), ==, windows[0].marks);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_overlap(void)
{
    static const char *const points[] = {"window-flushed", "losses-written", "window-sealed"};

    for (guint i = 0; i < G_N_ELEMENTS(points); i++) {
        overlap_windows("drop", points[i]);
        overlap_windows("block", points[i]);
    }
}

/* The next window loses records while the writer thread still flushes the previous one, and has not
 * written its losses. The lost records must be counted in the next window. */
static void test_losses_of_next(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"1ms\"}");
    g_autoptr(GError) error = NULL;

    strobe_session_start(session, NULL);
    strobe_mark("first");
    g_autofree char *first = capture_of(session);
    Hold *hold = hold_at("flush-written", 1);
    hold_wait(hold);
    strobe_session_stop(session, NULL);
    strobe_session_start(session, NULL);
    mark_times("second", 1000 * BLOCK_MARKS);
    hold_release(hold);
    strobe_session_stop(session, NULL);
    guint64 lost = lost_in_all();
    g_assert_cmpuint(lost, >, 0);
    g_assert_cmpuint(marks_of(session, "second") + lost, ==, 1000 * BLOCK_MARKS);
    g_assert_cmpuint(read_capture(first, "marker_instant", NULL, NULL), ==, 1);
    g_assert_cmpuint(read_capture(first, "loss", NULL, NULL), ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- a writer that does not wake up ---- */

static gpointer wake_later(gpointer hold)
{
    g_usleep(100000);
    hold_release(hold);
    return NULL;
}

/* A window begins and ends before the writer has noticed it, and the next window begins. */
static void test_late_writer(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    Hold *hold = hold_at("writer-round", 1);

    hold_wait(hold);
    strobe_session_start(session, NULL);
    strobe_mark("first");
    g_autofree char *first = capture_of(session);
    strobe_session_stop(session, NULL); /* waits only for a limited time */
    GThread *waker = g_thread_new("waker", wake_later, hold);
    strobe_session_start(session, NULL);
    strobe_mark("second");
    strobe_session_stop(session, NULL);
    g_thread_join(waker);
    g_assert_cmpuint(marks_of(session, "second"), ==, 1);
    g_assert_cmpuint(lost_in_all(), ==, 0);
    g_assert_cmpuint(read_capture(first, "marker_instant", NULL, NULL), ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/window-races/slow-bracket", test_slow_critical_section);
    g_test_add_func("/window-races/stuck", test_stuck);
    g_test_add_func("/window-races/stuck-beyond-session", test_stuck_beyond_session);
    g_test_add_func("/window-races/stuck-from-before", test_stuck_from_before);
    g_test_add_func("/window-races/stuck-blocks", test_stuck_blocks);
    g_test_add_func("/window-races/pass-by", test_pass_by);
    g_test_add_func("/window-races/exit", test_exit);
    g_test_add_func("/window-races/overlap", test_overlap);
    g_test_add_func("/window-races/losses-of-next", test_losses_of_next);
    g_test_add_func("/window-races/late-writer", test_late_writer);
    return g_test_run();
}
