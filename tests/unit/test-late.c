/* SPDX-License-Identifier: Apache-2.0 */
/* Tests collectors that report late: the thread that ends a window calls their function `flush` and
 * waits for their records. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "result.h"
#include "support.h"

#define DRAIN_MS 400
#define LATE "{\"fake\": {\"records\": 10, \"late\": 1000, \"drain\": \"400ms\"}}"
#define ENDLESS "{\"fake\": {\"records\": 10, \"late\": 1000, \"drain\": \"60s\"}}"

static void check_not_after(const StrobeView *view, StrobeText name, gpointer user)
{
    g_assert_cmpstr(name.bytes, !=, "after");
}

static guint64 count_fakes(const char *capture)
{
    return read_capture(capture, "marker", NULL, NULL) +
           read_capture(capture, "counter", NULL, NULL);
}

/* Checks that the capture has the 10 and the 1000 records of the two fake sources, and no mark that
 * was made after the window. */
static void check_late_capture(const char *capture)
{
    g_assert_cmpuint(count_fakes(capture), ==, 1010);
    g_assert_cmpuint(read_capture(capture, "collector_call", NULL, NULL), >=, 3);
    read_capture(capture, "marker_instant", check_not_after, NULL);
}

/* Makes a mark while another thread flushes. Returns whether the flush was still running after the
 * mark. */
static void *mark_during_flush(void *has_stopped)
{
    while (strobe_enabled())
        g_usleep(100);
    strobe_mark("after");
    return GINT_TO_POINTER(!g_atomic_int_get((gint *)has_stopped));
}

/* stop() waits for the late records. During the flush only its own thread can record into the
 * window. */
static void test_stop(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, LATE, NULL);
    gint has_stopped = 0;
    void *was_flushing;
    pthread_t thread;

    strobe_session_start(session, NULL);
    g_assert_cmpint(pthread_create(&thread, NULL, mark_during_flush, &has_stopped), ==, 0);
    gint64 begin = g_get_monotonic_time();
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpint(g_get_monotonic_time() - begin, >=, DRAIN_MS * 1000);
    g_atomic_int_set(&has_stopped, 1);
    g_assert_cmpint(pthread_join(thread, &was_flushing), ==, 0);
    g_assert_true(was_flushing != NULL);
    g_autofree char *capture = capture_of(session);
    check_late_capture(capture);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A step that ends a window waits for its late records before the warm-up of the next window. Each
 * window has its own records. */
static void test_windows(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, LATE, "\"schedule\": {\"warmup\": 1, \"active\": 1, \"repeat\": 2}");
    g_autoptr(GPtrArray) captures = g_ptr_array_new_with_free_func(g_free);

    strobe_session_start(session, NULL);
    for (guint i = 0; i < 2; i++) {
        strobe_session_step(session, NULL); /* a window begins */
        g_ptr_array_add(captures, g_build_filename(strobe_session_directory(session), "FRAMEWORK",
                                                   "capture.strobe", NULL));
        gint64 begin = g_get_monotonic_time();
        strobe_session_step(session, NULL); /* the window ends */
        g_assert_cmpint(g_get_monotonic_time() - begin, >=, DRAIN_MS * 1000);
    }
    strobe_session_free(session);
    for (guint i = 0; i < captures->len; i++)
        check_late_capture(g_ptr_array_index(captures, i));
    scratch_remove(folder);
}

static void check_ready(void *user, const char *directory)
{
    g_autofree char *capture = g_build_filename(directory, "FRAMEWORK", "capture.strobe", NULL);

    check_late_capture(capture);
    ++*(guint *)user;
}

/* on_trace_ready is called only when the window is complete, with its late records. */
static void test_ready(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, LATE, NULL);
    guint n_ready = 0;

    strobe_session_on_trace_ready(session, check_ready, &n_ready);
    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(n_ready, ==, 1);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The window's end waits for a device for at most 2 s, and the diagnostics report this. */
static void test_deadline(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, ENDLESS, NULL);

    strobe_session_start(session, NULL);
    gint64 begin = g_get_monotonic_time();
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpint(g_get_monotonic_time() - begin, >=, 2000000);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "time for late records (2 s)"));
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(count_fakes(capture), ==, 510);
    strobe_session_free(session);
    scratch_remove(folder);
}

static int child_of(void (*act)(gpointer), gpointer user)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        act(user);
        exit(0);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    return status;
}

static const StrobeResult *only_result(GPtrArray *results)
{
    g_assert_cmpuint(results->len, ==, 1);
    return g_ptr_array_index(results, 0);
}

static void record_in_child(gpointer folder)
{
    StrobeSession *session = session_new(folder, LATE, NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
}

/* When stop() has returned, the capture is complete, so that a program may end without freeing its
 * session. */
static void test_exit(void)
{
    if (WITH_TSAN) {
        g_test_skip("ThreadSanitizer cannot follow threads of a forked child");
        return;
    }
    char *folder = scratch_new();
    gboolean live = TRUE;

    g_assert_cmpint(child_of(record_in_child, folder), ==, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    g_assert_true(strobe_result_recover(only_result(results), &live, NULL));
    g_assert_false(live);
    check_late_capture(only_result(results)->capture);
    scratch_remove(folder);
}

static void *die_during_flush(void *unused)
{
    while (strobe_enabled())
        g_usleep(100);
    g_usleep(DRAIN_MS * 1000); /* the first half of the records was reported long before */
    raise(SIGKILL);
    return NULL;
}

static void die_in_child(gpointer folder)
{
    StrobeSession *session = session_new(folder, ENDLESS, NULL);
    pthread_t thread;

    strobe_session_start(session, NULL);
    if (pthread_create(&thread, NULL, die_during_flush, NULL) == 0)
        strobe_session_stop(session, NULL);
}

/* A kill during the flush loses only records that the device had not reported. */
static void test_kill(void)
{
    if (WITH_TSAN) {
        g_test_skip("ThreadSanitizer cannot follow threads of a forked child");
        return;
    }
    char *folder = scratch_new();
    gboolean live = TRUE;

    g_assert_true(WIFSIGNALED(child_of(die_in_child, folder)));
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    g_assert_true(strobe_result_recover(only_result(results), &live, NULL));
    g_assert_false(live);
    g_assert_cmpuint(count_fakes(only_result(results)->capture), ==, 510);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/late/stop", test_stop);
    g_test_add_func("/late/windows", test_windows);
    g_test_add_func("/late/ready", test_ready);
    g_test_add_func("/late/deadline", test_deadline);
    g_test_add_func("/late/exit", test_exit);
    g_test_add_func("/late/kill", test_kill);
    return g_test_run();
}
