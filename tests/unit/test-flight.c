/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the triggers of a flight recorder's dump (a slow step, a signal, a call) and the reports
 * about dumps. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include "support.h"

#define RING "\"buffer\": {\"size\": \"8MB\", \"policy\": \"ring\"}"

static char *capture_in(const char *directory)
{
    return g_build_filename(directory, "FRAMEWORK", "capture.strobe", NULL);
}

static char *reported; /* directory of the last dump, which note_dump sets */
static gint n_reported;
static GThread *reported_in;

static void note_dump(void *user, const char *directory)
{
    g_free(reported);
    reported = g_strdup(directory);
    reported_in = g_thread_self();
    n_reported++;
}

/* Waits until `n` dumps have been reported. Makes steps, because dumps are reported in calls of the
 * session. */
static gboolean wait_reported(gint n)
{
    for (guint i = 0; i < 6000 && n_reported < n; i++) {
        g_usleep(10000);
        strobe_step();
    }
    return n_reported == n;
}

static StrobeSession *start_listening(const char *folder, const char *dump)
{
    g_autofree char *more = g_strdup_printf(RING ", \"dump\": %s", dump);
    StrobeSession *session = session_new(folder, "{}", more);

    n_reported = 0;
    strobe_session_on_trace_ready(session, note_dump, NULL);
    strobe_session_start(session, NULL);
    return session;
}

/* Checks that the directory of a dump has copies of the files that the program has written next to
 * its own capture. */
static void check_files(const char *directory)
{
    g_autofree char *info = NULL, *metadata = NULL;
    g_autofree char *info_path = g_build_filename(directory, "profiler_info.json", NULL);
    g_autofree char *metadata_path = g_build_filename(directory, "profiler_metadata.json", NULL);

    g_assert_true(g_file_get_contents(info_path, &info, NULL, NULL));
    g_assert_nonnull(strstr(info, "collectionTimeEnd"));
    g_assert_true(g_file_get_contents(metadata_path, &metadata, NULL, NULL));
    g_assert_nonnull(strstr(metadata, "\"run\": \"seven\""));
}

#define SLOW 100 /* a step is slow if it takes this multiple of the median */
#define STEPS 30

static gint compare_times(gconstpointer a, gconstpointer b)
{
    return *(const gint64 *)a < *(const gint64 *)b ? -1 : *(const gint64 *)a > *(const gint64 *)b;
}

/* Makes steps of 1 ms or a little more. Returns their median in us, or 0 if a busy machine has made
 * one of them slow. */
static gint64 make_steps(void)
{
    gint64 took[STEPS];

    for (guint i = 0; i < STEPS; i++) {
        gint64 begin = g_get_monotonic_time();
        g_usleep(1000);
        strobe_step();
        took[i] = g_get_monotonic_time() - begin;
    }
    qsort(took, STEPS, sizeof *took, compare_times);
    return took[STEPS - 1] < took[STEPS / 2] * SLOW / 2 ? took[STEPS / 2] : 0;
}

static StrobeSession *start_even_steps(const char *folder, gint64 *median)
{
    const char *dump = "{\"slow_step\": 100, \"min_interval\": \"0s\", \"max\": 1}";
    StrobeSession *session = start_listening(folder, dump);

    while (!(*median = make_steps())) {
        strobe_session_free(session);
        session = start_listening(folder, dump);
    }
    return session;
}

static void test_slow_step(void)
{
    char *folder = scratch_new();
    gint64 median;
    StrobeSession *session = start_even_steps(folder, &median);

    g_assert_cmpint(n_reported, ==, 0);
    g_usleep((gulong)median * SLOW * 2);
    strobe_step();
    g_assert_true(wait_reported(1));
    g_autofree char *capture = capture_in(reported);
    g_assert_cmpuint(read_capture(capture, "step", NULL, NULL), >=, STEPS);
    g_usleep((gulong)median * SLOW * 2);
    strobe_step(); /* no dump, because of dump.max */
    g_usleep(100000);
    g_assert_cmpint(n_reported, ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_signal(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        start_listening(folder, "{\"signal\": \"SIGUSR2\", \"min_interval\": \"60min\"}");
    struct sigaction after;

    strobe_mark("marked");
    strobe_session_add_metadata(session, "run", "seven", 0, NULL);
    raise(SIGUSR2);
    g_assert_true(wait_reported(1));
    g_assert_true(reported_in == g_thread_self());
    g_autofree char *capture = capture_in(reported);
    g_assert_cmpuint(read_capture(capture, "marker_instant", NULL, NULL), ==, 1);
    check_files(reported);
    raise(SIGUSR2); /* no dump, because of dump.min_interval */
    g_assert_cmpint(strobe_dump(), ==, STROBE_OK);
    g_assert_true(wait_reported(2));
    strobe_session_free(session);
    sigaction(SIGUSR2, NULL, &after);
    g_assert_true(after.sa_handler == SIG_DFL);
    g_assert_cmpint(strobe_dump(), ==, STROBE_UNAVAILABLE);
    scratch_remove(folder);
}

static gint n_own_signals;

static void own_handler(int number)
{
    g_atomic_int_inc(&n_own_signals);
}

/* A signal handler of the program is not replaced. */
static void test_own_signal(void)
{
    char *folder = scratch_new();
    struct sigaction action = {.sa_handler = own_handler};

    sigaction(SIGUSR2, &action, NULL);
    StrobeSession *session = start_listening(folder, "{\"signal\": \"USR2\"}");
    raise(SIGUSR2);
    g_assert_cmpint(n_own_signals, ==, 1);
    strobe_session_free(session);
    raise(SIGUSR2);
    g_assert_cmpint(n_own_signals, ==, 2);
    g_assert_cmpint(n_reported, ==, 1); /* only the end of the window was reported */
    signal(SIGUSR2, SIG_DFL);
    scratch_remove(folder);
}

/* ---- functions that are called for dumps ---- */

struct caller {
    StrobeSession *session;
    guint n_dumps, n_ends;
    gint n_refused, n_steps; /* atomic */
};

static void call_back(struct caller *caller)
{
    StrobeError *error = NULL;

    if (strobe_session_dump(caller->session, NULL, NULL, &error) == STROBE_ERROR_STATE)
        g_atomic_int_inc(&caller->n_refused);
    g_assert_nonnull(strstr(strobe_error_message(error), "A function that the session calls "));
    strobe_error_free(error);
    /* refused, because a function of the session is being called */
    strobe_session_free(caller->session);
}

static void on_dump(void *user, const char *directory)
{
    struct caller *caller = user;
    sigset_t blocked;

    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    /* signals are not blocked, because the function may start a process */
    g_assert_false(sigismember(&blocked, SIGTERM));
    caller->n_dumps++;
    call_back(caller);
}

static void on_end(void *user, const char *directory)
{
    struct caller *caller = user;

    g_assert_cmpstr(directory, ==, strobe_session_directory(caller->session));
    caller->n_ends++;
    call_back(caller);
}

/* A function that is called for a dump or a window cannot request a dump or a window. */
static void test_dump_from_within(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);
    struct caller caller = {.session = session};

    strobe_session_on_trace_ready(session, on_dump, &caller);
    strobe_session_on_window_end(session, on_end, &caller);
    strobe_session_start(session, NULL);
    g_assert_cmpint(strobe_session_dump(session, NULL, NULL, NULL), ==, STROBE_OK);
    g_assert_cmpuint(caller.n_dumps, ==, 1);
    g_assert_cmpint(strobe_dump(), ==, STROBE_OK);
    for (guint i = 0; i < 6000 && g_atomic_int_get(&caller.n_refused) < 2; i++) {
        g_usleep(10000);
        strobe_step();
    }
    g_assert_cmpint(g_atomic_int_get(&caller.n_refused), ==, 2);
    g_assert_cmpuint(caller.n_ends, ==, 0);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(caller.n_ends, ==, 1);
    g_assert_cmpint(caller.n_refused, ==, 4);
    strobe_session_free(session);
    scratch_remove(folder);
}

static gpointer step_once(gpointer user)
{
    struct caller *caller = user;

    g_assert_cmpint(strobe_session_step(caller->session, NULL), ==, STROBE_OK);
    g_atomic_int_inc(&caller->n_steps);
    return NULL;
}

static void await_step(void *user, const char *directory)
{
    struct caller *caller = user;
    GThread *thread;

    if (caller->n_dumps++ > 1)
        return; /* called for the end of the window */
    gint before = g_atomic_int_get(&caller->n_steps);
    thread = g_thread_new("step", step_once, caller);
    for (guint i = 0; i < 6000 && g_atomic_int_get(&caller->n_steps) == before; i++)
        g_usleep(10000);
    g_assert_cmpint(g_atomic_int_get(&caller->n_steps), ==, before + 1);
    g_thread_join(thread);
}

/* A function that is called for a dump may take long, and may wait for another thread that makes a
 * step. */
static void test_steps_meanwhile(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);
    struct caller caller = {.session = session};

    strobe_session_on_trace_ready(session, await_step, &caller);
    strobe_session_start(session, NULL);
    g_assert_cmpint(strobe_session_dump(session, NULL, NULL, NULL), ==, STROBE_OK);
    g_assert_cmpint(strobe_dump(), ==, STROBE_OK);
    for (guint i = 0; i < 6000 && caller.n_dumps < 2; i++) {
        g_usleep(10000);
        strobe_step();
    }
    g_assert_cmpint(caller.n_steps, ==, 2);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void stop_session(void *user, const char *directory)
{
    struct caller *caller = user;

    g_assert_cmpint(strobe_session_stop(caller->session, NULL), ==, STROBE_OK);
    caller->n_dumps++;
}

/* A function that is called for a dump may stop the session, in a call that waited for the dump and
 * in a step. */
static void test_stop_from_within(void)
{
    for (guint in_step = 0; in_step < 2; in_step++) {
        char *folder = scratch_new();
        StrobeSession *session = session_new(folder, "{}", RING);
        struct caller caller = {.session = session};

        strobe_session_on_trace_ready(session, stop_session, &caller);
        strobe_session_start(session, NULL);
        if (in_step)
            g_assert_cmpint(strobe_dump(), ==, STROBE_OK);
        else
            g_assert_cmpint(strobe_session_dump(session, NULL, NULL, NULL), ==, STROBE_OK);
        for (guint i = 0; i < 6000 && !caller.n_dumps; i++) {
            g_usleep(10000);
            strobe_step();
        }
        g_assert_cmpuint(caller.n_dumps, ==, 2); /* the dump, and the end of the window */
        g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_ERROR_STATE);
        g_assert_false(strobe_enabled());
        strobe_session_free(session);
        scratch_remove(folder);
    }
}

/* Dumps do not stop or flush the collectors, which continue until the end of the window. */
static void test_collectors_go_on(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{\"fake\": {\"records\": 3, \"late\": 5}}", RING);
    const char *directory;

    strobe_session_start(session, NULL);
    g_usleep(50000);
    for (guint i = 0; i < 2; i++) {
        g_assert_cmpint(strobe_session_dump(session, NULL, &directory, NULL), ==, STROBE_OK);
        g_autofree char *dump = capture_in(directory);
        g_assert_cmpuint(read_capture(dump, "marker", NULL, NULL), ==, 3);
    }
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "marker", NULL, NULL), ==, 8);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* If no process can be started, a thread of the program makes the dumps. */
static void test_writer_is_a_thread(void)
{
    char *folder = scratch_new();
    const char *directory;

    prctl(PR_SET_CHILD_SUBREAPER, 1);
    StrobeSession *session = start_listening(folder, "{}");
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    strobe_mark("marked");
    strobe_session_add_metadata(session, "run", "seven", 0, NULL);
    g_assert_cmpint(strobe_session_dump(session, NULL, &directory, NULL), ==, STROBE_OK);
    g_autofree char *capture = capture_in(directory);
    g_assert_cmpuint(read_capture(capture, "marker_instant", NULL, NULL), ==, 1);
    check_files(directory);
    g_assert_cmpint(strobe_dump(), ==, STROBE_OK);
    g_assert_true(wait_reported(2));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* ---- names of spans that begin while a dump is written ---- */

#define NAMES 50000

static gint keep_on;

static gpointer begin_ever_new(gpointer data)
{
    char name[32];

    for (guint i = 0; g_atomic_int_get(&keep_on); i++) {
        /* the table of strings has room for these names */
        g_snprintf(name, sizeof name, "new %u", i % NAMES);
        strobe_range_end(strobe_range_begin(name));
    }
    return NULL;
}

static void check_name(const StrobeView *view, StrobeText name, gpointer user)
{
    g_assert_true(strcmp(name.bytes, "open") == 0 || g_str_has_prefix(name.bytes, "new "));
}

static void test_new_names(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", RING);

    strobe_session_start(session, NULL);
    StrobeRange range = strobe_range_begin("open");
    g_atomic_int_set(&keep_on, 1);
    GThread *thread = g_thread_new("names", begin_ever_new, NULL);
    for (guint i = 0; i < 20; i++) {
        const char *directory;
        g_usleep(1000);
        g_assert_cmpint(strobe_session_dump(session, NULL, &directory, NULL), ==, STROBE_OK);
        g_autofree char *capture = capture_in(directory);
        g_assert_cmpuint(read_capture(capture, "marker", check_name, NULL), >=, 1);
    }
    g_atomic_int_set(&keep_on, 0);
    g_thread_join(thread);
    strobe_range_end(range);
    strobe_session_free(session);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/flight/slow-step", test_slow_step);
    g_test_add_func("/flight/signal", test_signal);
    g_test_add_func("/flight/own-signal", test_own_signal);
    g_test_add_func("/flight/dump-from-within", test_dump_from_within);
    g_test_add_func("/flight/steps-meanwhile", test_steps_meanwhile);
    g_test_add_func("/flight/stop-from-within", test_stop_from_within);
    g_test_add_func("/flight/collectors-go-on", test_collectors_go_on);
    g_test_add_func("/flight/writer-is-a-thread", test_writer_is_a_thread);
    g_test_add_func("/flight/new-names", test_new_names);
    return g_test_run();
}
