/* SPDX-License-Identifier: Apache-2.0 */
/* Tests sessions: windows with a schedule, failing collectors, long runs. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "error.h"
#include "process.h"
#include "result.h"
#include "session.h"
#include "support.h"

struct ready {
    guint n;
    char *last;
};

static void count_ready(void *user, const char *directory)
{
    struct ready *ready = user;

    ready->n++;
    g_free(ready->last);
    ready->last = g_strdup(directory);
}

static void check_steps(const StrobeView *view, StrobeText name, gpointer user)
{
    GString *names = user;
    g_string_append_printf(names, "%s ", name.bytes);
}

static void check_marks(const StrobeView *view, StrobeText name, gpointer user)
{
    GString *names = user;
    g_string_append_printf(names, "%s ", name.bytes);
}

/* With the actions N W R R S N, only the bodies of the steps 2, 3 and 4 are recorded. */
static void test_schedule(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"metadata\": {}}",
                    "\"schedule\": {\"wait\": 1, \"warmup\": 1, \"active\": 3, \"repeat\": 1}");
    g_autoptr(GString) steps = g_string_new(NULL);
    g_autoptr(GString) marks = g_string_new(NULL);
    struct ready ready = {0};

    strobe_session_on_trace_ready(session, count_ready, &ready);
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    for (guint i = 0; i < 8; i++) {
        char name[8];
        g_snprintf(name, sizeof name, "b%u", i);
        g_assert_cmpint(strobe_enabled(), ==, i >= 2 && i <= 4);
        strobe_mark(name);
        strobe_step();
    }
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(ready.n, ==, 1);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "step", check_steps, steps);
    read_capture(capture, "marker_instant", check_marks, marks);
    g_assert_cmpstr(steps->str, ==, "ProfilerStep#2 ProfilerStep#3 ProfilerStep#4 ");
    g_assert_cmpstr(marks->str, ==, "b2 b3 b4 ");
    strobe_session_free(session);
    g_free(ready.last);
    scratch_remove(folder);
}

/* Exporters that the analysis would refuse after hours of recording are refused when the session is
 * made. */
static void test_exporters(void)
{
    static const struct {
        const char *text, *says;
        StrobeStatus status;
    } cases[] = {
        {"{\"exporters\": {\"cvs\": {}}}", "no exporter \"cvs\", did you mean \"csv\"?",
         STROBE_ERROR_PLUGIN},
        {"{\"exporters\": {\"csv\": {\"nonesuch\": 1}}}", "no option \"nonesuch\"",
         STROBE_ERROR_CONFIG},
        {"{\"collectors\": {}, \"exporters\": {\"csv\": {}}}", NULL, STROBE_OK},
        {"{\"collectors\": {}}", NULL, STROBE_OK},
    };

    for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
        StrobeSession *session;
        StrobeError *error = NULL;
        g_assert_cmpint(strobe_session_new(cases[i].text, "here.json", &session, &error), ==,
                        cases[i].status);
        g_assert_cmpint(session != NULL, ==, cases[i].says == NULL);
        if (cases[i].says) {
            g_assert_nonnull(strstr(strobe_error_message(error), cases[i].says));
            g_assert_nonnull(strstr(strobe_error_message(error), "here.json"));
            strobe_error_free(error);
        }
        strobe_session_free(session);
    }
}

/* Calls with the session NULL, as of a program that did not check whether the session could be
 * made, fail without a crash. */
static void test_no_session(void)
{
    StrobeError *error = NULL;

    g_assert_cmpint(strobe_session_start(NULL, &error), ==, STROBE_ERROR_ARGUMENT);
    g_assert_cmpstr(strobe_error_message(error), ==, "There is no session");
    strobe_error_free(error);
    g_assert_cmpint(strobe_session_step(NULL, NULL), ==, STROBE_ERROR_ARGUMENT);
    g_assert_cmpint(strobe_session_stop(NULL, NULL), ==, STROBE_ERROR_ARGUMENT);
    g_assert_cmpint(strobe_session_dump(NULL, NULL, NULL, NULL), ==, STROBE_ERROR_ARGUMENT);
    g_assert_cmpint(strobe_session_add_metadata(NULL, "a", "b", 0, NULL), ==,
                    STROBE_ERROR_ARGUMENT);
    g_assert_cmpstr(strobe_session_diagnostics(NULL), ==, "");
}

/* If the session ends in WARMUP, there is no result directory; if it ends in RECORD, there is
 * one. */
static void test_leaving(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"metadata\": {}}", "\"schedule\": {\"warmup\": 1, \"active\": 2}");
    struct ready ready = {0};

    strobe_session_on_trace_ready(session, count_ready, &ready);
    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    g_assert_cmpstr(strobe_session_directory(session), ==, "");
    g_assert_cmpuint(ready.n, ==, 0);
    strobe_session_start(session, NULL);
    strobe_session_step(session, NULL);
    strobe_session_stop(session, NULL);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(ready.n, ==, 1);
    g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_ERROR_STATE);
    strobe_session_free(session);
    g_free(ready.last);
    scratch_remove(folder);
}

static void test_files(void)
{
    char *folder = scratch_new();
    g_setenv("RANK", "3", TRUE);
    StrobeSession *session =
        session_new(folder, "{\"metadata\": {}}", "\"metadata\": {\"who\": [1]}");
    struct stat st;

    strobe_session_add_metadata(session, "json", "{\"a\": 1}", 1, NULL);
    g_assert_cmpint(strobe_session_add_metadata(session, "json", "{", 1, NULL), ==,
                    STROBE_ERROR_ARGUMENT);
    strobe_session_start(session, NULL);
    strobe_session_stop(session, NULL);
    g_autofree char *info =
        g_build_filename(strobe_session_directory(session), "profiler_info_3.json", NULL);
    g_autofree char *metadata =
        g_build_filename(strobe_session_directory(session), "profiler_metadata.json", NULL);
    g_autofree char *info_text = NULL, *metadata_text = NULL;
    g_assert_true(g_file_get_contents(info, &info_text, NULL, NULL));
    g_assert_true(g_file_get_contents(metadata, &metadata_text, NULL, NULL));
    g_assert_nonnull(strstr(info_text, "\"rank_id\": \"3\""));
    g_assert_true(g_str_has_prefix(metadata_text, "{\"who\": [1], \"json\": {\"a\": 1}, "
                                                  "\"ENV_VARIABLES\": {\"ASCEND_GLOBAL_LOG"));
    g_assert_cmpint(stat(strobe_session_directory(session), &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0750);
    g_assert_cmpint(stat(info, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0640);
    g_unsetenv("RANK");
    strobe_session_free(session);
    scratch_remove(folder);
}

static void check_failing(const char *fail, const char *part)
{
    char *folder = scratch_new();
    g_autofree char *collectors =
        g_strdup_printf("{\"fake\": {\"fail\": \"%s\"}, \"metadata\": {}}", fail);
    StrobeSession *session = session_new(folder, collectors, NULL);

    /* the session continues without the failing collector */
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_mark("still recorded");
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    if (!strstr(strobe_session_diagnostics(session), part))
        g_error("%s: \"%s\" lacks \"%s\"", fail, strobe_session_diagnostics(session), part);
    g_autofree char *capture = capture_of(session);
    g_assert_cmpuint(read_capture(capture, "diagnostic", NULL, NULL), ==, 1);
    g_assert_cmpuint(read_capture(capture, "metadata", NULL, NULL), >, 5);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_failing(void)
{
    check_failing("open", "collector fake: open failed");
    check_failing("warm", "collector fake: warm failed");
    check_failing("start", "collector fake: start failed");
    check_failing("stop", "collector fake: stop failed");
    check_failing("flush", "collector fake: flush failed");
}

static void test_required(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"fail\": \"open\", \"required\": true}}", NULL);
    StrobeError *error = NULL;

    g_assert_cmpint(strobe_session_start(session, &error), <, 0);
    g_assert_nonnull(strstr(strobe_error_message(error), "A required collector"));
    strobe_error_free(error);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void test_one_at_a_time(void)
{
    char *folder = scratch_new();
    StrobeSession *first = session_new(folder, "{}", NULL), *second;
    StrobeError *error = NULL;

    g_assert_cmpint(strobe_session_new("{\"collectors\":{}}", NULL, &second, &error), ==,
                    STROBE_ERROR_STATE);
    g_assert_null(second);
    strobe_error_free(error);
    strobe_session_free(first);
    scratch_remove(folder);
}

/* If the output folder cannot be made, the error names its path. In a container the pool is made
 * first, in the same folder, so the error may be about the pool. */
static void test_unwritable(void)
{
    char *folder = scratch_new();
    g_autofree char *file = write_bytes(folder, "file", "x", 1);
    g_autofree char *config = g_strdup_printf("{\"output\": {\"directory\": \"%s\"}}", file);
    StrobeSession *session = NULL;
    StrobeError *error = NULL;
    int status = strobe_session_new(config, "test", &session, &error);

    if (status == STROBE_OK)
        status = strobe_session_start(session, &error);
    g_assert_cmpint(status, ==, STROBE_ERROR_IO);
    g_assert_nonnull(strstr(strobe_error_message(error), file));
    strobe_error_free(error);
    strobe_session_free(session);
    scratch_remove(folder);
}

static guint open_descriptors(void)
{
    g_autoptr(GDir) dir = g_dir_open("/proc/self/fd", 0, NULL);
    guint n = 0;

    while (g_dir_read_name(dir))
        n++;
    return n;
}

/* Waits until the process has at most `wanted` open descriptors, and returns their number. The
 * previous window may still be written, and a collector may be reading a file of the system. */
static guint open_at_rest(guint wanted)
{
    for (guint i = 0; i < 6000 && open_descriptors() > wanted; i++)
        g_usleep(10000);
    return open_descriptors();
}

/* In 200 cycles of a schedule, memory and open descriptors do not grow. */
static void test_cycles(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{\"fake\": {\"records\": 20}, \"metadata\": {}, \"host_sys\": {}}",
                    "\"schedule\": {\"warmup\": 1, \"active\": 1}");
    guint cycles = test_count("STROBE_TEST_CYCLES", 200);
    guint64 pages = 0;
    guint descriptors = 0;

    strobe_session_start(session, NULL);
    for (guint i = 0; i < cycles; i++) {
        strobe_session_step(session, NULL);
        strobe_session_step(session, NULL);
        if (i == 50) {
            pages = private_pages();
            /* The 8 more are for threads that host_sys finds later, because it keeps a file open
             * for each. */
            descriptors = open_descriptors() + 8;
        }
    }
    g_assert_cmpuint(open_at_rest(descriptors), <=, descriptors);
    if (!IS_SANITIZED)
        /* 512 KiB more, for variations of the allocator */
        g_assert_cmpuint(private_pages(), <=, pages + 128);
    strobe_session_free(session);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    g_assert_cmpuint(results->len, ==, cycles);
    scratch_remove(folder);
}

static gpointer step_on(gpointer stop)
{
    while (!g_atomic_int_get((gint *)stop))
        strobe_step();
    return NULL;
}

/* strobe_step() may be called by any thread while sessions are made and freed. */
static void test_step_anywhere(void)
{
    char *folder = scratch_new();
    GThread *threads[2];
    gint stop = 0;

    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        threads[i] = g_thread_new("steps", step_on, &stop);
    for (guint i = 0; i < 40; i++) {
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_start(session, NULL);
        g_usleep(500);
        strobe_session_free(session);
    }
    g_atomic_int_set(&stop, 1);
    for (guint i = 0; i < G_N_ELEMENTS(threads); i++)
        g_thread_join(threads[i]);
    scratch_remove(folder);
}

static StrobeAction every_third(void *user, int64_t step)
{
    return step % 3 == 2 ? STROBE_ACTION_RECORD_AND_SAVE : STROBE_ACTION_NONE;
}

static void test_own_schedule(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct ready ready = {0};

    strobe_session_set_schedule(session, every_third, NULL);
    strobe_session_on_trace_ready(session, count_ready, &ready);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < 9; i++)
        strobe_session_step(session, NULL);
    strobe_session_stop(session, NULL);
    g_assert_cmpuint(ready.n, ==, 3);
    strobe_session_free(session);
    g_free(ready.last);
    scratch_remove(folder);
}

/* Called for a window. Such a function may stop the session, but cannot begin another window. */
static void stop_reported(void *user, const char *directory)
{
    StrobeSession *session = *(StrobeSession **)user;

    g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_ERROR_STATE);
    /* the session is still running */
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
    strobe_step();
    strobe_session_free(session);
    g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_ERROR_STATE);
}

static void test_stopped_by_reported(void)
{
    char *folder = scratch_new();
    StrobeSession *session =
        session_new(folder, "{}", "\"schedule\": {\"active\": 1, \"repeat\": 3}");

    strobe_session_on_trace_ready(session, stop_reported, &session);
    for (guint i = 0; i < 2; i++) { /* the session may be started again afterwards */
        g_assert_cmpint(strobe_session_start(session, NULL), ==, STROBE_OK);
        g_assert_true(strobe_enabled());
        g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_OK);
        g_assert_false(strobe_enabled());
        g_assert_cmpint(strobe_session_action(session), ==, STROBE_ACTION_NONE);
        g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_ERROR_STATE);
        g_assert_cmpint(strobe_session_stop(session, NULL), ==, STROBE_OK);
    }
    strobe_session_free(session);
    scratch_remove(folder);
}

static void free_reported(void *user, const char *directory)
{
    strobe_session_free(*(StrobeSession **)user);
}

/* Freeing the session in its own callback is refused with a warning. */
static void test_freed_by_reported(void)
{
    if (g_test_subprocess()) {
        char *folder = scratch_new();
        StrobeSession *session = session_new(folder, "{}", NULL);
        strobe_session_on_trace_ready(session, free_reported, &session);
        strobe_session_start(session, NULL);
        strobe_session_stop(session, NULL);
        strobe_session_free(session);
        strobe_session_free(session_new(folder, "{}", NULL));
        scratch_remove(folder);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_passed();
    g_test_trap_assert_stderr("strobe: warning: The session is not freed: a function that it "
                              "calls *\n");
}

static StrobeAction stop_asked(void *user, int64_t step)
{
    if (step == 1)
        g_assert_cmpint(strobe_session_stop(*(StrobeSession **)user, NULL), ==, STROBE_OK);
    return STROBE_ACTION_RECORD;
}

static void test_stopped_by_schedule(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    struct ready ready = {0};

    strobe_session_set_schedule(session, stop_asked, &session);
    strobe_session_on_trace_ready(session, count_ready, &ready);
    strobe_session_start(session, NULL);
    g_assert_true(strobe_enabled());
    g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_OK);
    g_assert_false(strobe_enabled());
    g_assert_cmpuint(ready.n, ==, 1);
    g_assert_cmpint(strobe_session_step(session, NULL), ==, STROBE_ERROR_STATE);
    strobe_session_free(session);
    g_free(ready.last);
    scratch_remove(folder);
}

/* Installs a filter that ends the process at any system call except the two that it allows. */
static void forbid_calls(void)
{
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {G_N_ELEMENTS(rules), rules};

    g_assert_cmpint(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), ==, 0);
    g_assert_cmpint(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), ==, 0);
}

#define STEPS 1000

static void step_without_calls(const char *folder)
{
    StrobeSession *session = session_new(folder, "{}", NULL);

    strobe_session_start(session, NULL);
    strobe_step(); /* registers the thread, for which system calls are made */
    forbid_calls();
    for (guint i = 0; i < STEPS; i++)
        strobe_step();
    _exit(0);
}

/* A step within a window makes no system call, so that a filter of system calls does not end the
 * process. */
static void test_steps_make_no_call(void)
{
    int status;

    if (IS_SANITIZED) {
        g_test_skip("a sanitizer makes system calls");
        return;
    }
    char *folder = scratch_new();
    pid_t child = fork();
    if (child == 0)
        step_without_calls(folder);
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    g_autoptr(GPtrArray) results = strobe_result_find(folder, NULL);
    const StrobeResult *result = g_ptr_array_index(results, 0);
    /* recovers the capture, because its writer was a thread of the ended process */
    g_assert_true(strobe_result_recover(result, NULL, NULL));
    g_assert_cmpuint(read_capture(result->capture, "step", NULL, NULL), ==, STEPS + 1);
    scratch_remove(folder);
}

/* A forked child has its own process id, and no session. */
static void test_process_id_of_child(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{}", NULL);
    int status;

    g_assert_cmpint(strobe_process_id(), ==, getpid());
    pid_t child = _Fork(); /* _Fork() runs no fork handlers */
    if (child == 0) {
        gboolean is_own = strobe_session_step(session, NULL) == STROBE_OK;
        _exit(strobe_process_id() == getpid() && !is_own && !strobe_session_current() ? 0 : 1);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    strobe_session_free(session);
    scratch_remove(folder);
}

static void count_calls(const StrobeView *view, StrobeText name, gpointer user)
{
    GString *calls = user;

    g_string_append_printf(calls, "%s ", name.bytes);
}

static guint count_occurrences(const char *text, const char *part)
{
    guint n = 0;

    while ((text = strstr(text, part))) {
        text += strlen(part);
        n++;
    }
    return n;
}

/* A collector that is switched off is stopped, and its late records are read. The window's end does
 * not stop it again. */
static void test_toggle(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{\"fake\": {\"records\": 5, \"late\": 3}}", NULL);
    g_autoptr(GString) calls = g_string_new(" ");
    StrobeError *error = NULL;

    /* there is no window */
    g_assert_cmpint(strobe_session_toggle(session, "fake", 0, NULL), ==, STROBE_OK);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < 4; i++) /* switches the collector off and on, each twice */
        g_assert_cmpint(strobe_session_toggle(session, "fake", i >= 2, NULL), ==, STROBE_OK);
    g_assert_cmpint(strobe_session_toggle(session, "none", 0, &error), ==, STROBE_ERROR_ARGUMENT);
    g_assert_nonnull(strstr(strobe_error_message(error), "no collector none"));
    strobe_error_free(error);
    strobe_session_toggle(session, "fake", 0, NULL);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    read_capture(capture, "collector_call", count_calls, calls);
    g_assert_cmpuint(count_occurrences(calls->str, "start"), ==, 2);
    g_assert_cmpuint(count_occurrences(calls->str, "stop"), ==, 2);
    g_assert_cmpuint(count_occurrences(calls->str, "flush"), ==, 2);
    strobe_session_free(session);
    scratch_remove(folder);
}

/* Switches a collector off and on that runs in the writer process. */
static void test_toggle_outside(void)
{
    char *folder = scratch_new();
    StrobeSession *session = session_new(folder, "{\"sys_io\": {\"interval\": \"5ms\"}}", NULL);
    g_autoptr(GString) calls = g_string_new(" ");

    g_assert_cmpint(strobe_session_toggle(session, "sys_io", 0, NULL), ==, STROBE_OK);
    strobe_session_start(session, NULL);
    for (guint i = 0; i < 4; i++)
        g_assert_cmpint(strobe_session_toggle(session, "sys_io", i >= 2, NULL), ==, STROBE_OK);
    strobe_session_toggle(session, "sys_io", 0, NULL);
    strobe_session_stop(session, NULL);
    g_autofree char *capture = capture_of(session);
    strobe_session_free(session); /* freeing the session writes the records */
    read_capture(capture, "collector_call", count_calls, calls);
    g_assert_cmpuint(count_occurrences(calls->str, "sys_io.start"), ==, 2);
    g_assert_cmpuint(count_occurrences(calls->str, "sys_io.stop"), ==, 2);
    scratch_remove(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/session/schedule", test_schedule);
    g_test_add_func("/session/exporters", test_exporters);
    g_test_add_func("/session/no-session", test_no_session);
    g_test_add_func("/session/leaving", test_leaving);
    g_test_add_func("/session/files", test_files);
    g_test_add_func("/session/failing", test_failing);
    g_test_add_func("/session/required", test_required);
    g_test_add_func("/session/one-at-a-time", test_one_at_a_time);
    g_test_add_func("/session/unwritable", test_unwritable);
    g_test_add_func("/session/cycles", test_cycles);
    g_test_add_func("/session/step-anywhere", test_step_anywhere);
    g_test_add_func("/session/own-schedule", test_own_schedule);
    g_test_add_func("/session/steps-make-no-call", test_steps_make_no_call);
    g_test_add_func("/session/process-id-of-child", test_process_id_of_child);
    g_test_add_func("/session/toggle", test_toggle);
    g_test_add_func("/session/toggle-outside", test_toggle_outside);
    g_test_add_func("/session/stopped-by-told", test_stopped_by_reported);
    g_test_add_func("/session/freed-by-told", test_freed_by_reported);
    g_test_add_func("/session/stopped-by-schedule", test_stopped_by_schedule);
    return g_test_run();
}
