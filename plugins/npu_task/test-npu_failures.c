/* SPDX-License-Identifier: Apache-2.0 */
/* Tests npu_task with a simulated MSPTI whose calls fail or do not return. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <strobe/kinds.h>

#include "../../sdk/check/test-tree.h"
#include "test-double.h"

/* The end of the window waits for one second for the first buffer that never comes back, and does
 * not wait for other buffers. */
static void test_buffers_that_are_kept(void)
{
    StrobeMockHost *mock = strobe_mock_host_load(double_plugin, NULL);

    g_assert_cmpint(strobe_mock_host_option(mock, "library", double_library), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "activities", "marker"), ==, 0);
    g_assert_cmpint(strobe_mock_host_option(mock, "flush_interval", "10ms"), ==, 0);
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_OK);
    g_setenv("MSPTI_DOUBLE", "keep", TRUE);
    for (guint i = 0; i < 3; i++) {
        gint64 before = g_get_monotonic_time();
        guint64 base = double_begin_window(mock);
        for (guint k = 0; k < 2; k++) {
            gint n_flushes = g_atomic_int_get(&double_state()->n_flushes);
            double_play(base, "marker 1 0 %u 1 2 tick default %u", 9001 + 2 * i + k, k);
            while (g_atomic_int_get(&double_state()->n_flushes) < n_flushes + 2)
                g_usleep(1000);
        }
        double_end_window(mock);
        if (i == 0)
            g_assert_cmpint(g_get_monotonic_time() - before, >=, 1000000);
    }
    g_unsetenv("MSPTI_DOUBLE");
    g_assert_cmpuint(tree_count(mock, "marker_instant", NULL), ==, 3);
    /* only the first kept buffer is counted */
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    const char *reported =
        strstr(strobe_mock_host_messages(mock), "have not come back from MSPTI for 1 s");
    g_assert_nonnull(reported);
    g_assert_null(strstr(reported + 1, "have not come back from MSPTI for 1 s"));
    double_end(mock);
}

static void assert_reported(StrobeMockHost *mock, const char *text)
{
    if (!strstr(strobe_mock_host_messages(mock), text))
        g_error("\"%s\" is not in: %s", text, strobe_mock_host_messages(mock));
}

static void set_blocks(gint blocks)
{
    g_atomic_int_set(&double_state()->blocks, blocks);
    while (!g_atomic_int_get(&double_state()->n_blocked) != !blocks)
        g_usleep(1000);
}

static void test_flush_fails(void)
{
    StrobeMockHost *mock = double_load("kernel");
    guint64 base = double_begin_window(mock);

    g_setenv("MSPTI_DOUBLE", "fail=flush:999", TRUE);
    double_play(base, "kernel 0 3 1 KERNEL_AICORE mm 0 5");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 0);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    assert_reported(mock, "msptiActivityFlushAll: code=999, reason=\"an error inside MSPTI\"");
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    assert_reported(mock, "does not hand over its last records");
    g_unsetenv("MSPTI_DOUBLE");
    double_end(mock);
}

/* The subscription cannot be ended, so the next session uses it. */
static void test_end_fails(void)
{
    StrobeMockHost *mock = double_load("kernel");

    double_begin_window(mock);
    double_end_window(mock);
    g_setenv("MSPTI_DOUBLE", "fail=unsubscribe:999", TRUE);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    assert_reported(mock,
                    "no other profiler can attach to this process: msptiUnsubscribe: code=999");
    double_end(mock);
    g_setenv("MSPTI_DOUBLE", "fail=disable:4", TRUE);
    mock = double_load("kernel+node_api");
    assert_reported(mock, "Strobe uses it again");
    double_begin_window(mock);
    double_end_window(mock);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    assert_reported(mock, "continues to record node_api and perhaps more, which costs time: "
                          "msptiActivityDisable: code=4, "
                          "reason=\"the device is offline\"");
    double_end(mock);
    g_unsetenv("MSPTI_DOUBLE");
    mock = double_load("kernel");
    g_assert_cmpuint(double_state()->enabled, ==, 0);
    guint64 base = double_begin_window(mock);
    double_play_task(base, 1);
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 1);
    double_end(mock);
}

/* A child process always reports that the library belongs to the parent. */
static void test_forked(void)
{
    StrobeMockHost *mock = double_load("kernel");
    gint status;

    pid_t child = fork();
    if (child == 0) {
        StrobeMockHost *own = strobe_mock_host_load(double_plugin, NULL);
        strobe_mock_host_option(own, "library", double_library);
        _exit(strobe_mock_host_open(own) == STROBE_UNAVAILABLE &&
                      strstr(strobe_mock_host_errors(own), "this is a forked process")
                  ? 0
                  : 1);
    }
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_cmpint(status, ==, 0);
    double_end(mock);
}

/* The thread that ends a window does not wait for the library. */
static void test_stop_does_not_wait(void)
{
    StrobeMockHost *mock = double_load("kernel");
    guint64 base = double_begin_window(mock);

    double_play_task(base, 1);
    set_blocks(1);
    g_usleep(20);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_assert_cmpint(g_atomic_int_get(&double_state()->n_blocked), ==, 1);
    set_blocks(0);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 1);
    double_end(mock);
}

static StrobeMockHost *load_unopened(void)
{
    StrobeMockHost *mock = strobe_mock_host_load(double_plugin, NULL);

    g_assert_cmpint(strobe_mock_host_option(mock, "library", double_library), ==, 0);
    return mock;
}

/* MSPTI hangs. The end of the first window waits for it and reports this; the end of the second
 * window does not wait. close waits for a while, then abandons the call. No session can be opened
 * until the call has returned. */
static void test_it_hangs(void)
{
    StrobeMockHost *mock = double_load("kernel");

    double_begin_window(mock);
    set_blocks(1);
    double_end_window(mock);
    assert_reported(mock, "has not come back from msptiActivityFlushAll for ");
    g_assert_null(strstr(strobe_mock_host_messages(mock), "still reported records"));
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 1);
    double_begin_window(mock);
    gint64 before = g_get_monotonic_time();
    double_end_window(mock);
    /* less than the maximum time of a window's end */
    g_assert_cmpint(g_get_monotonic_time() - before, <, 1900000);
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    g_assert_cmpint(g_atomic_int_get(&double_state()->n_blocked), >, 0);
    assert_reported(mock, "does not come back from msptiActivityFlushAll: no session records NPU");
    double_end(mock);
    mock = load_unopened();
    g_assert_cmpint(strobe_mock_host_open(mock), ==, STROBE_UNAVAILABLE);
    g_assert_nonnull(strstr(strobe_mock_host_errors(mock), "from a call of an earlier session"));
    strobe_mock_host_free(mock);
    set_blocks(0);
    for (mock = load_unopened(); strobe_mock_host_open(mock) != STROBE_OK; mock = load_unopened()) {
        strobe_mock_host_free(mock); /* a session cannot be opened again if its open has failed */
        g_usleep(1000);
    }
    strobe_mock_host_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    double_find();
    g_test_add_func("/npu_failures/flush-fails", test_flush_fails);
    g_test_add_func("/npu_failures/end-fails", test_end_fails);
    g_test_add_func("/npu_failures/forked", test_forked);
    g_test_add_func("/npu_failures/stop-does-not-wait", test_stop_does_not_wait);
    g_test_add_func("/npu_failures/buffers-that-are-kept", test_buffers_that_are_kept);
    g_test_add_func("/npu_failures/it-hangs", test_it_hangs);
    return g_test_run();
}
