/* SPDX-License-Identifier: Apache-2.0 */
/* Tests the backend aclprof with a simulated library: the calls for each configuration, several
 * windows, and the failure of each call with each code. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>
#include <strobe/kinds.h>

#include "../../tests/aclprof-double/aclprof-double.h"
#include "../../sdk/check/test-tree.h"

int aclInit(const char *config);
int acl_double_synchronized(void);

static char *plugin_path, *library_path, *results, *log_path;

static StrobeMockHost *load_plugin(void)
{
    StrobeMockHost *mock = strobe_mock_host_load(plugin_path, NULL);

    g_assert_nonnull(mock);
    g_assert_cmpint(strobe_mock_host_option(mock, "library", library_path), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "backend", "aclprof"), ==, 0);
    strobe_mock_host_result_directory(mock, results);
    return mock;
}

static void set_option(StrobeMockHost *mock, const char *name, const char *value)
{
    g_assert_cmpint(strobe_mock_host_option(mock, name, value), ==, 0);
}

static void run_window(StrobeMockHost *mock)
{
    g_assert_cmpint(strobe_mock_host_warm(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
}

static void free_mock(StrobeMockHost *mock)
{
    g_assert_cmpstr(strobe_mock_host_complaints(mock), ==, "");
    strobe_mock_host_free(mock);
}

static void remove_results(void)
{
    tree_free(results);
    results = tree_new();
}

/* Returns the calls that the simulated library got since the last time, each on a line. The test
 * fails if the calls came in a wrong order. */
static char **take_calls(void)
{
    g_autofree char *text = NULL;

    g_file_get_contents(log_path, &text, NULL, NULL);
    g_unlink(log_path);
    g_assert_null(text ? strstr(text, "WRONG") : NULL);
    if (text)
        g_strchomp(text);
    return g_strsplit(text ? text : "", "\n", -1);
}

static void assert_words(const char *expected)
{
    g_auto(GStrv) calls = take_calls();
    g_autoptr(GString) words = g_string_new(NULL);

    for (guint i = 0; calls[i]; i++)
        g_string_append_printf(words, "%s%.*s", i ? " " : "", (int)strcspn(calls[i], " "),
                               calls[i]);
    g_assert_cmpstr(words->str, ==, expected);
}

/* ---- configurations ---- */

typedef struct Choice {
    const char *text;
    guint64 mask;
    gint metrics;
} Choice;

static const Choice levels[] = {
    {"Level_none", 0x80, 255}, {"Level0", 0x801, 255}, {"Level1", 0x23, 1}, {"Level2", 0x12B, 1}};
static const Choice metrics[] = {{"level", 4, -1},
                                 {"none", 0, 255},
                                 {"ArithmeticUtilization", 4, 0},
                                 {"PipeUtilization", 4, 1},
                                 {"Memory", 4, 2},
                                 {"MemoryL0", 4, 3},
                                 {"ResourceConflictRatio", 4, 4},
                                 {"MemoryUB", 4, 5},
                                 {"L2Cache", 4, 6},
                                 {"PipelineExecuteUtilization", 4, 7},
                                 {"MemoryAccess", 4, 8}};
static const Choice switches[] = {
    {"l2_cache", 0x10}, {"op_attr", 0x4000}, {"msproftx", 0x80}, {"task_memory", 0x1000}};

static void check_options(const Choice *level, const Choice *metric, guint bits)
{
    gboolean has_tasks = level->metrics == 1;
    gint number = !has_tasks ? 255 : metric->metrics < 0 ? 1 : metric->metrics;
    guint64 mask = level->mask | (has_tasks ? metric->mask : 0);
    StrobeMockHost *mock = load_plugin();

    set_option(mock, "profiler_level", level->text);
    set_option(mock, "aic_metrics", metric->text);
    for (guint i = 0; i < G_N_ELEMENTS(switches); i++)
        if (bits & 1u << i) {
            set_option(mock, switches[i].text, "true");
            mask |= switches[i].mask;
        }
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    run_window(mock);
    g_auto(GStrv) calls = take_calls();
    g_autofree char *expected =
        g_strdup_printf("create 0,1 %d 0x%" G_GINT64_MODIFIER "x", number, mask);
    g_assert_true(g_strv_contains((const char *const *)calls, expected));
    free_mock(mock);
}

/* Checks each level with each metric, and each set of switches at each level; with -m thorough,
 * each combination of level, metric and switches. */
static void test_masks(void)
{
    for (guint l = 0; l < G_N_ELEMENTS(levels); l++)
        for (guint m = 0; m < G_N_ELEMENTS(metrics); m++)
            for (guint bits = 0; bits < 1u << G_N_ELEMENTS(switches); bits++)
                if (g_test_thorough() || bits % G_N_ELEMENTS(metrics) == m)
                    check_options(&levels[l], &metrics[m], bits);
    remove_results();
}

/* An option in the form name=value, and the calls of the library for it, joined by ';'. */
static const char *const settings[][2] = {
    {"storage_limit=200MB", "set 1 200MB"},
    {"storage_limit=4294967295MB", "set 1 4294967295MB"},
    {"storage_limit=1KB", ""},
    {"storage_limit=1MB", "set 1 200MB"},
    {"task_memory=true", "set 3 50"},
    {"task_memory=true hardware_mem_freq=1", "set 3 1"},
    {"hardware_mem_freq=100", ""},
    {"details=shapes+module_memory", "set 3 50"},
    {"details=shapes+block_counts+task_ids+comm_tasks", ""},
    {"llc_mode=read", "set 4 read"},
    {"llc_mode=write", "set 4 write"},
    {"sys_io=true", "set 5 100"},
    {"sys_io=true sys_io_freq=1", "set 5 1"},
    {"sys_io_freq=1", ""},
    {"sys_interconnection=true", "set 6 50"},
    {"sys_interconnection=true sys_interconnection_freq=1", "set 6 1"},
    {"dvpp_freq=1", "set 7 1"},
    {"dvpp_freq=100", "set 7 100"},
    {"host_sys=cpu", "set 8 cpu"},
    {"host_sys=cpu+mem+disk+network+osrt+numa", "set 8 cpu,mem,disk,network,osrt,numa"},
    {"host_sys_usage=mem", "set 9 mem;set 10 50"},
    {"host_sys_usage=cpu+mem host_sys_usage_freq=1", "set 9 cpu,mem;set 10 1"},
    {"host_sys_usage_freq=1", ""},
    {"low_power_freq=100", "set 11 100"},
    {"sys_cpu_freq=50", "set 13 50"},
    {"sys_io=true dvpp_freq=7 llc_mode=read storage_limit=300MB",
     "set 1 300MB;set 4 read;set 5 100;set 7 7"},
};

static void test_settings(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
        StrobeMockHost *mock = load_plugin();
        g_auto(GStrv) words = g_strsplit(settings[i][0], " ", -1);
        g_autoptr(GString) reported = g_string_new(NULL);

        for (guint k = 0; words[k]; k++) {
            g_auto(GStrv) pair = g_strsplit(words[k], "=", 2);
            set_option(mock, pair[0], pair[1]);
        }
        g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
        run_window(mock);
        g_auto(GStrv) calls = take_calls();
        for (guint k = 0; calls[k]; k++)
            if (g_str_has_prefix(calls[k], "set "))
                g_string_append_printf(reported, "%s%s", reported->len ? ";" : "", calls[k]);
        g_assert_cmpstr(reported->str, ==, settings[i][1]);
        free_mock(mock);
    }
    remove_results();
}

/* ---- windows ---- */

/* Each window has its own folder, which is named in the result. */
static void test_windows(void)
{
    StrobeMockHost *mock = load_plugin();

    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    for (guint i = 0; i < 20; i++) {
        strobe_mock_host_clear(mock);
        run_window(mock);
        g_assert_cmpuint(tree_count(mock, "metadata", STROBE_METADATA_EXTERNAL), ==, 1);
        assert_words("init create start stop destroy finalize");
        remove_results();
        strobe_mock_host_result_directory(mock, results);
    }
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    free_mock(mock);
}

/* If flush is not called after stop, close finishes the end of the window. */
static void test_closed_without_flush(void)
{
    StrobeMockHost *mock = load_plugin();

    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    assert_words("init create start stop destroy finalize");
    free_mock(mock);
    remove_results();
}

static gint block_calls(gint blocks)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_NOLOAD);
    g_assert_nonnull(library);
    return ((AclprofDoubleBlock *)dlsym(library, "aclprof_double_block"))(blocks);
}

static gpointer release_later(gpointer user)
{
    while (!block_calls(1))
        g_usleep(1000);
    g_usleep(100000);
    block_calls(0);
    return NULL;
}

/* The thread that ends the window does not wait until CANN has stopped. flush waits, because an
 * incomplete folder could not be used. */
static void test_stop_does_not_wait(void)
{
    StrobeMockHost *mock = load_plugin();

    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    block_calls(1);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    assert_words("init create start");
    g_autoptr(GThread) release = g_thread_new("release", release_later, NULL);
    g_assert_cmpint(strobe_mock_host_flush(mock, 50000000), ==, STROBE_OK);
    assert_words("stop destroy finalize");
    g_thread_join(g_steal_pointer(&release));
    free_mock(mock);
    remove_results();
}

/* Makes new sessions until one can be opened, because a session cannot be opened again if its open
 * has failed. */
static StrobeMockHost *await_open(void)
{
    StrobeMockHost *mock = load_plugin();

    while (strobe_mock_host_open(mock) != STROBE_OK) {
        strobe_mock_host_free(mock);
        g_usleep(1000);
        mock = load_plugin();
    }
    return mock;
}

/* A call of CANN that does not return is abandoned after 30 s. When the call returns, its thread
 * ends the profiling that the call began, with the configuration of that profiling. */
static void test_left_behind(void)
{
    StrobeMockHost *mock;

    if (!g_test_thorough()) {
        g_test_skip("takes half a minute");
        return;
    }
    mock = load_plugin();
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    block_calls(1);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "has not come back from ending"));
    free_mock(mock);
    mock = load_plugin();
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_UNAVAILABLE);
    strobe_mock_host_free(mock);
    block_calls(0);
    mock = await_open();
    assert_words("init create start stop destroy finalize");
    strobe_mock_host_free(mock);
    remove_results();
}

/* The device is synchronised in stop, because the thread that calls stop has a context of the
 * device. */
static void test_synchronizes(void)
{
    StrobeMockHost *mock = load_plugin();

    set_option(mock, "synchronize", "true");
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_start(mock), ==, STROBE_OK);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(acl_double_synchronized(), ==, 1);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    g_auto(GStrv) calls = take_calls();
    g_assert_true(g_strv_contains((const char *const *)calls, "stop same 1"));
    free_mock(mock);
    remove_results();
}

/* ---- failures ---- */

static void fail_call(const char *call, gint code)
{
    static const struct {
        const char *call, *words;
    } expected[] = {
        {"init", "init"},
        {"create", "init create finalize"},
        {"start", "init create start destroy finalize"},
        {"stop", "init create start stop destroy finalize"},
        {"destroy", "init create start stop destroy finalize"},
        {"finalize", "init create start stop destroy finalize"},
    };
    g_autofree char *wrong = g_strdup_printf("fail=%s:%d", call, code);
    StrobeMockHost *mock = load_plugin();
    guint i = 0;

    g_setenv("ACLPROF_DOUBLE", wrong, TRUE);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    StrobeStatus status = strobe_mock_host_start(mock);
    if (status == STROBE_OK) {
        g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
        g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    }
    while (strcmp(expected[i].call, call))
        i++;
    g_assert_cmpint(status < 0, ==, i < 3);
    assert_words(expected[i].words);
    g_assert_nonnull(strstr(i < 3 ? strobe_mock_host_errors(mock) : strobe_mock_host_messages(mock),
                            i == 1 ? "aclprofCreateConfig" : "code="));
    g_unsetenv("ACLPROF_DOUBLE");
    free_mock(mock);
}

/* Each case has its own process, because a failure may leave the simulated library in any state. */
static void test_failures(void)
{
    static const char *const calls[] = {"init", "create", "start", "stop", "destroy", "finalize"};
    static const gint codes[] = {100010, 100042, 100043, 148046, 148047, 200007, 500005, 1};

    if (g_test_subprocess()) {
        fail_call(g_getenv("TEST_CALL"), atoi(g_getenv("TEST_CODE")));
        return;
    }
    for (guint i = 0; i < G_N_ELEMENTS(calls); i++)
        for (guint k = 0; k < G_N_ELEMENTS(codes); k++) {
            g_autofree char *code = g_strdup_printf("%d", codes[k]);

            g_setenv("TEST_CALL", calls[i], TRUE);
            g_setenv("TEST_CODE", code, TRUE);
            g_test_trap_subprocess(NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
            g_test_trap_assert_passed();
        }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    aclInit(NULL);
    plugin_path = g_build_filename(g_getenv("STROBE_TEST_PLUGINS"), "npu_task.so", NULL);
    library_path =
        g_build_filename(g_getenv("ASCEND_HOME_PATH"), "lib64", "libmsprofiler.so", NULL);
    results = tree_new();
    char *folder = tree_new();
    log_path = g_build_filename(folder, "calls", NULL);
    g_setenv("ACLPROF_DOUBLE_LOG", log_path, TRUE);
    g_unsetenv("PROFILER_SAMPLECONFIG");
    g_test_add_func("/aclprof/masks", test_masks);
    g_test_add_func("/aclprof/settings", test_settings);
    g_test_add_func("/aclprof/windows", test_windows);
    g_test_add_func("/aclprof/closed-without-flush", test_closed_without_flush);
    g_test_add_func("/aclprof/stop-does-not-wait", test_stop_does_not_wait);
    g_test_add_func("/aclprof/left-behind", test_left_behind);
    g_test_add_func("/aclprof/synchronizes", test_synchronizes);
    g_test_add_func("/aclprof/failures", test_failures);
    int code = g_test_run();
    tree_free(results);
    tree_free(folder);
    return code;
}
