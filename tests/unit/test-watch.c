/* SPDX-License-Identifier: Apache-2.0 */
/* Collectors whose library is loaded while the session runs: who opens them, and when. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "attach.h"
#include "loaded-objects.h"
#include "support.h"

#define PATIENCE_MS 5000

/* As a program does that loads its own: any one will do that is not there yet. */
static void load_library(const char *name)
{
    g_auto(GStrv) folders = g_strsplit(g_getenv("STROBE_PLUGIN_PATH"), ":", -1);
    g_autofree char *path = g_build_filename(folders[1], name, NULL);
    guint64 before = strobe_loaded_objects();

    g_assert_nonnull(dlopen(path, RTLD_NOW | RTLD_LOCAL));
    g_assert_cmpuint(strobe_loaded_objects(), >, before);
}

static guint64 samples_of(StrobeSession *session)
{
    g_autofree char *capture = capture_of(session);

    return read_capture(capture, "counter", NULL, NULL);
}

static gint64 stop_ms(StrobeSession *session)
{
    gint64 begin = g_get_monotonic_time();

    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    return (g_get_monotonic_time() - begin) / 1000;
}

static void run_for(guint ms)
{
    g_usleep(ms * 1000);
}

/* Nothing was loaded: it is not asked again. */
static void test_nothing_loaded(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}}", NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    run_for(200);
    stop_ms(session);
    g_assert_cmpuint(samples_of(session), ==, 0);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "was not loaded"));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Without a call of the program's it records, and is sampled, in the window that runs; a collector
 * that is sampled already goes on. */
static void check_late_source(const char *collectors, const char *library)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, collectors, NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    load_library(library);
    run_for(800);
    stop_ms(session);
    g_assert_cmpuint(samples_of(session), >, 20); /* of 78 */
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_alone(void)
{
    check_late_source("{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}}", "csv.so");
}

static void test_beside_another(void)
{
    check_late_source("{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}, \"host_sys\": {}}",
                      "stack_total.so");
}

/* The call that is told of a library does the same at once. */
static void test_retry(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}}", NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_session_retry(session);
    run_for(300);
    stop_ms(session);
    g_assert_cmpuint(samples_of(session), >, 5);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A library that hangs hangs none of the program's calls. */
static void test_nobody_waits(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"again\": 1, \"sample\": \"10ms\", \"opening\": \"1s\"}}",
                    "\"schedule\": {\"active\": 1, \"repeat\": 3}");

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    load_library("db.so");
    run_for(200);
    gint64 begin = g_get_monotonic_time();
    g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_OK);
    g_assert_cmpint(g_get_monotonic_time() - begin, <, 500000);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "was not open yet"));
    run_for(1500); /* the second window gets it when it is ready */
    stop_ms(session);
    g_assert_cmpuint(samples_of(session), >, 5);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A session that is freed meanwhile closes what was opened for it. */
static void test_freed_meanwhile(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"again\": 1, \"opening\": \"500ms\"}}", NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    load_library("op_statistic.so");
    run_for(100);
    g_assert_cmpint(stop_ms(session), <, 250);
    strobe_session_free(session); /* a leak is the sanitizer's to find */
    g_assert_cmpint(strobe_session_new("{}", "test", &session, NULL), ==, STROBE_OK);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* The program's end: what is being opened is waited for, and nothing is opened any more. */
static void test_rest(void)
{
    static const char collectors[] =
        "{\"fake\": {\"again\": 1, \"sample\": \"10ms\", \"opening\": \"500ms\"}}";
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, collectors, NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    load_library("chrome_trace.so");
    run_for(150);
    gint64 begin = g_get_monotonic_time();
    strobe_run_rest();
    g_assert_cmpint(g_get_monotonic_time() - begin, >, 100000);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
    run_for(300);
    stop_ms(session);
    g_assert_cmpuint(samples_of(session), >, 5);
    strobe_session_free(session);
    session = session_new(folder, collectors, NULL);
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_run_rest();
    load_library("stacks.so");
    run_for(800);
    stop_ms(session);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "was not loaded"));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* What fails in that thread is told as what fails in others. */
static void test_failure_is_told(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"again\": 1, \"fail\": \"warm\"}}", NULL);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    load_library("comm_json.so");
    run_for(300);
    stop_ms(session);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "warm failed: Simulated failure"));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A child that is made while the loader's list is looked at can look at it too. */
static gpointer look_all_the_time(gpointer user)
{
    while (!g_atomic_int_get((gint *)user))
        strobe_loaded_objects();
    return NULL;
}

static void test_forks(void)
{
    gint is_over = 0, status;
    GThread *thread = g_thread_new("looks", look_all_the_time, &is_over);

    for (guint i = 0; i < 300; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(strobe_loaded_objects() > 0 ? 0 : 1);
        guint waited = 0;
        while (waitpid(child, &status, WNOHANG) == 0 && waited++ < PATIENCE_MS)
            g_usleep(1000);
        g_assert_cmpuint(waited, <, PATIENCE_MS);
        g_assert_cmpint(status, ==, 0);
    }
    g_atomic_int_set(&is_over, 1);
    g_thread_join(thread);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/watch/nothing-loaded", test_nothing_loaded);
    g_test_add_func("/watch/alone", test_alone);
    g_test_add_func("/watch/beside-another", test_beside_another);
    g_test_add_func("/watch/retry", test_retry);
    g_test_add_func("/watch/nobody-waits", test_nobody_waits);
    g_test_add_func("/watch/freed-meanwhile", test_freed_meanwhile);
    g_test_add_func("/watch/rest", test_rest);
    g_test_add_func("/watch/failure-is-told", test_failure_is_told);
    if (!WITH_TSAN)
        g_test_add_func("/watch/forks", test_forks);
    return g_test_run();
}
