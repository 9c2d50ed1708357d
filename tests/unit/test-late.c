/* SPDX-License-Identifier: Apache-2.0 */
/* Windows whose collectors tell late: nobody waits for these but the result. */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "result.h"
#include "support.h"

#define DRAIN_MS 1000 /* much more than a busy machine takes for all else */
#define LATE "{\"fake\": {\"records\": 10, \"late\": 1000, \"drain\": \"1s\"}}"

static gint64 stop_and_time(StrobeSession *session)
{
    gint64 begin = g_get_monotonic_time();

    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    return (g_get_monotonic_time() - begin) / 1000;
}

static void mark_each(const StrobeView *view, StrobeText name, gpointer user)
{
    g_assert_cmpstr(name.bytes, !=, "after");
}

/* What the two fake sources of 10 and 1000 records emit, whatever their names. */
static void check_late_capture(const char *capture)
{
    guint64 n =
        read_capture(capture, "marker", NULL, NULL) + read_capture(capture, "counter", NULL, NULL);

    g_assert_cmpuint(n, ==, 1010);
    g_assert_cmpuint(read_capture(capture, "collector_call", NULL, NULL), >=, 3);
    read_capture(capture, "marker_instant", mark_each, NULL);
}

/* stop() does not wait for a device that tells late; what it tells is in its window. */
static void test_late(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, LATE, NULL);

    strobe_session_start(session, NULL);
    g_assert_cmpint(stop_and_time(session), <, DRAIN_MS / 2);
    g_assert_false(strobe_enabled());
    strobe_mark("after");
    g_assert_cmpint(strobe_session_add_metadata(session, "late", "yes", 0, NULL), ==, STROBE_OK);
    gint64 begin = g_get_monotonic_time();
    g_autofree char *capture = capture_of(session);
    g_assert_cmpint(g_get_monotonic_time() - begin, >, DRAIN_MS * 1000 / 3);
    check_late_capture(capture);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A warm-up does not wait for it either; the next window does. Each has its own. */
static void test_late_in_windows(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, LATE, "\"schedule\": {\"warmup\": 1, \"active\": 1, \"repeat\": 2}");
    g_autoptr(GPtrArray) captures = g_ptr_array_new_with_free_func(g_free);

    strobe_session_start(session, NULL);
    for (guint i = 0; i < 2; i++) {
        gint64 begin = g_get_monotonic_time();
        strobe_session_step(session, NULL); /* a window begins */
        gint64 took = (g_get_monotonic_time() - begin) / 1000;
        g_assert_cmpint(took > DRAIN_MS / 3, ==, i > 0);
        g_ptr_array_add(captures, g_build_filename(strobe_session_directory(session), "FRAMEWORK",
                                                   "capture.strobe", NULL));
        begin = g_get_monotonic_time();
        strobe_session_step(session, NULL); /* and ends */
        g_assert_cmpint((g_get_monotonic_time() - begin) / 1000, <, DRAIN_MS / 2);
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

/* Who is told that the window is ready gets it complete. */
static void test_late_and_ready(void)
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

static void use_in_child(gpointer session)
{
    strobe_mark("after");
    if (strobe_session_stop(session, NULL) != STROBE_ERROR_STATE ||
        *strobe_session_diagnostics(session))
        _exit(1);
    strobe_session_free(session);
}

/* A child that is made meanwhile leaves it alone, and ends at once. */
static void test_late_and_fork(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, LATE, NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    gint64 begin = g_get_monotonic_time();
    g_assert_cmpint(child_of(use_in_child, session), ==, 0);
    if (!WITH_TSAN) /* which ends a process a second later */
        g_assert_cmpint((g_get_monotonic_time() - begin) / 1000, <, DRAIN_MS);
    g_autofree char *capture = capture_of(session);
    check_late_capture(capture);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void record_in_child(gpointer folder)
{
    StrobeSession *session = session_new(folder, LATE, NULL);

    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
}

/* A process that ends without freeing its session waits for what is told late. */
static void test_late_and_exit(void)
{
    if (WITH_TSAN) {
        g_test_skip("ThreadSanitizer cannot follow threads of a forked child");
        return;
    }
    char *folder = scratch_new();

    g_assert_cmpint(child_of(record_in_child, folder), ==, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    g_assert_cmpuint(results->len, ==, 1);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    check_late_capture(result->capture);
    scratch_remove(folder);
}

static void die_in_child(gpointer folder)
{
    record_in_child(folder);
    g_usleep(DRAIN_MS * 1000 / 5); /* half of it has been told */
    raise(SIGKILL);
}

/* A kill meanwhile loses what had not been told, and nothing else. */
static void test_late_and_kill(void)
{
    if (WITH_TSAN) {
        g_test_skip("ThreadSanitizer cannot follow threads of a forked child");
        return;
    }
    char *folder = scratch_new();
    gboolean live = TRUE;

    g_assert_true(WIFSIGNALED(child_of(die_in_child, folder)));
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    g_assert_cmpuint(results->len, ==, 1);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    g_assert_true(strobe_result_recover(result, &live, NULL));
    g_assert_false(live);
    guint64 n = read_capture(result->capture, "marker", NULL, NULL) +
                read_capture(result->capture, "counter", NULL, NULL);
    g_assert_cmpuint(n, ==, 510);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/late/stop", test_late);
    g_test_add_func("/late/windows", test_late_in_windows);
    g_test_add_func("/late/ready", test_late_and_ready);
    g_test_add_func("/late/fork", test_late_and_fork);
    g_test_add_func("/late/exit", test_late_and_exit);
    g_test_add_func("/late/kill", test_late_and_kill);
    return g_test_run();
}
