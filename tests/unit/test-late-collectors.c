/* SPDX-License-Identifier: Apache-2.0 */
/* Tests collectors whose library is loaded while the session runs: which calls of the program open
 * them. */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "loaded-objects.h"
#include "support.h"

#define PATIENCE_MS 60000
#define WAITING "{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}}"

/* The function that the session has set for new libraries. This program has the interface of the
 * preloaded library. */
static StrobeLoadedFunction *on_load;

__attribute__((visibility("default"))) void strobe_run_on_load(StrobeLoadedFunction *function);

void strobe_run_on_load(StrobeLoadedFunction *function)
{
    on_load = function;
}

/* Loads a library of a plugin, which must not be loaded yet. */
static void *load_library(const char *name)
{
    g_auto(GStrv) folders = g_strsplit(g_getenv("STROBE_PLUGIN_PATH"), ":", -1);
    g_autofree char *path = g_build_filename(folders[1], name, NULL);
    guint64 before = strobe_loaded_objects();

    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);

    g_assert_nonnull(library);
    g_assert_cmpuint(strobe_loaded_objects(), >, before);
    return library;
}

static guint64 samples_of(StrobeSession *session)
{
    g_autofree char *capture = capture_of(session);

    return read_capture(capture, "counter", NULL, NULL);
}

static void stop_session(StrobeSession *session)
{
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
}

static void run_for(guint ms)
{
    g_usleep(ms * 1000);
}

/* Starts a session whose records appear quickly in the capture, which the tests read while it
 * grows. */
static StrobeSession *session_started(const char *folder, const char *collectors, const char *more)
{
    g_autofree char *all =
        g_strdup_printf("\"buffer\": {\"size\": \"8MB\", \"flush_interval\": \"20ms\"}%s%s",
                        more ? ", " : "", more ? more : "");
    StrobeSession *session = session_new(folder, collectors, all);

    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    return session;
}

static guint64 samples_until_now(StrobeSession *session)
{
    g_autofree char *path =
        g_build_filename(strobe_session_directory(session), "FRAMEWORK", "capture.strobe", NULL);

    return g_file_test(path, G_FILE_TEST_EXISTS) ? read_capture(path, "counter", NULL, NULL) : 0;
}

/* Waits until the fake collector has been opened and sampled some times, and stops the session. */
static void check_samples(StrobeSession *session)
{
    for (guint i = 0; i < PATIENCE_MS / 20 && samples_until_now(session) <= 5; i++)
        run_for(20);
    stop_session(session);
    g_assert_cmpuint(samples_of(session), >, 5);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
}

/* Opens the collector in a window, because it refuses only once in a process until it is opened,
 * and the next test needs a collector that refuses. */
static void open_at_last(StrobeSession *session)
{
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    stop_session(session);
    g_assert_cmpstr(strobe_session_diagnostics(session), ==, "");
}

/* A step does not open the collector if no library was loaded. */
static void test_nothing_loaded(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(folder, WAITING, NULL);

    strobe_session_step(session, NULL);
    run_for(100);
    stop_session(session);
    g_assert_cmpuint(samples_of(session), ==, 0);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "was not loaded"));
    open_at_last(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A step after a library was loaded opens the collector, which is then sampled in the current
 * window. */
static void test_step(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(folder, WAITING, NULL);

    load_library("csv.so");
    strobe_session_step(session, NULL);
    check_samples(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_retry(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(folder, WAITING, NULL);

    strobe_session_retry(session);
    check_samples(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A call of the loader opens the collector. A collector that is sampled already continues. */
static void test_loader(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(
        folder, "{\"fake\": {\"again\": 1, \"sample\": \"10ms\"}, \"host_sys\": {}}", NULL);

    g_assert_nonnull(on_load);
    g_assert_true(on_load());
    g_assert_null(on_load); /* no collector is waiting any more */
    check_samples(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Loader calls have no effect if no collector waits, or after the session has stopped. */
static void test_loader_is_left_alone(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(folder, "{\"fake\": {}}", NULL);

    g_assert_null(on_load);
    strobe_session_free(session);
    session = session_started(folder, WAITING, NULL);
    g_assert_nonnull(on_load);
    stop_session(session);
    g_assert_null(on_load);
    open_at_last(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* A collector that needs Python's lock is not opened in a call of the loader, because the thread
 * may not hold this lock. */
static void test_not_in_the_loader(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(folder, "{\"gc\": {}}", NULL);

    g_assert_null(on_load);
    strobe_session_free(session);
    scratch_remove(folder);
}

static gpointer step_session(gpointer session)
{
    strobe_session_step(session, NULL);
    return NULL;
}

/* A call of the loader does not wait for a session that is just opening the collector; the next
 * call tries again. */
static void test_loader_does_not_wait(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_started(
        folder, "{\"fake\": {\"again\": 1, \"sample\": \"10ms\", \"opening\": \"1s\"}}", NULL);
    StrobeLoadedFunction *function = on_load;
    gboolean was_refused = FALSE;

    load_library("db.so");
    GThread *thread = g_thread_new("steps", step_session, session);
    for (guint i = 0; i < PATIENCE_MS && !was_refused && on_load; i++) {
        was_refused = strobe_session_step_number(session) == 1 && !function();
        g_usleep(1000);
    }
    g_assert_true(was_refused);
    g_thread_join(thread);
    check_samples(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Before the warm-up of the schedule, a call of the loader does not open the collector; the begin
 * of the window does. */
static void test_not_in_a_pause(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_started(folder, WAITING, "\"schedule\": {\"wait\": 2, \"active\": 1}");

    g_assert_true(on_load());
    g_assert_nonnull(on_load);
    strobe_session_step(session, NULL);
    g_assert_nonnull(on_load);
    strobe_session_step(session, NULL); /* a window begins, and the collector refuses once */
    g_assert_nonnull(on_load);
    g_assert_true(on_load());
    g_assert_null(on_load);
    check_samples(session);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_failure_is_reported(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_started(folder, "{\"fake\": {\"again\": 1, \"fail\": \"warm\"}}", NULL);

    load_library("comm_json.so");
    strobe_session_step(session, NULL);
    stop_session(session);
    g_assert_nonnull(strstr(strobe_session_diagnostics(session), "warm failed: Simulated failure"));
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Checks whether an address is in a library that was loaded after a given number of libraries, as
 * in a constructor that calls the loader. */
static void test_which_library_calls(void)
{
    guint64 before = strobe_loaded_present();

    g_assert_cmpuint(before, >, 1);
    g_assert_cmpint(strobe_loaded_after(before, (void *)(uintptr_t)test_which_library_calls), ==,
                    0);
    g_assert_cmpint(strobe_loaded_after(before, (void *)(uintptr_t)strlen), ==, 0);
    void *library = load_library("stacks.so");
    void *inside = dlsym(library, "strobe_plugin_1");
    g_assert_cmpint(strobe_loaded_after(before, inside), ==, 1);
    g_assert_cmpint(strobe_loaded_after(strobe_loaded_present(), inside), ==, 0);
    g_assert_cmpint(strobe_loaded_after(before, &before), ==, 0);
}

/* Reads the loader's list until `user` is not 0. A child that is forked at the same time must be
 * able to read the list too. */
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
    g_test_add_func("/late-collectors/nothing-loaded", test_nothing_loaded);
    g_test_add_func("/late-collectors/step", test_step);
    g_test_add_func("/late-collectors/retry", test_retry);
    g_test_add_func("/late-collectors/loader", test_loader);
    g_test_add_func("/late-collectors/loader-is-left-alone", test_loader_is_left_alone);
    g_test_add_func("/late-collectors/not-in-the-loader", test_not_in_the_loader);
    g_test_add_func("/late-collectors/loader-does-not-wait", test_loader_does_not_wait);
    g_test_add_func("/late-collectors/not-in-a-pause", test_not_in_a_pause);
    g_test_add_func("/late-collectors/failure-is-reported", test_failure_is_reported);
    g_test_add_func("/late-collectors/which-library-calls", test_which_library_calls);
    if (!WITH_TSAN)
        g_test_add_func("/late-collectors/forks", test_forks);
    return g_test_run();
}
