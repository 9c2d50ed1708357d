/* SPDX-License-Identifier: Apache-2.0 */
/* Tests npu_task with a simulated MSPTI: windows, ids that are used again, several sessions. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <strobe/kinds.h>

#include "../../sdk/check/test-tree.h"
#include "mspti-abi.h"
#include "test-double.h"
#include "walk.h"

static const struct strobe_device_task *get_task(StrobeMockHost *mock, gsize index)
{
    return tree_record(mock, "device_task", NULL, index)->fields;
}

static guint64 connection_of_call(StrobeMockHost *mock, gsize index)
{
    const struct strobe_api_call *call = tree_record(mock, "api_call", NULL, index)->fields;
    return call->connection;
}

/* A graph that is launched repeatedly has the same id each time, but a new task. */
static void test_ids_used_again(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    guint64 base = double_begin_window(mock);

    double_play(base, "api 11 70001 7 launch 0 5");
    for (guint i = 0; i < 3; i++)
        double_play(base, "kernel 0 3 7 KERNEL_AICORE mm %u 5", 10 + 10 * i);
    double_play(base, "kernel 0 3 0 KERNEL_AICORE mm 50 5");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", "simulated mm"), ==, 4);
    for (guint i = 0; i < 3; i++) {
        g_assert_cmpuint(get_task(mock, i)->connection, ==, connection_of_call(mock, 0));
        g_assert_cmpuint(get_task(mock, i)->task, !=, get_task(mock, i + 1)->task);
        g_assert_cmpuint(get_task(mock, i)->block_num, ==, STROBE_ABSENT_U32);
    }
    g_assert_cmpuint(get_task(mock, 3)->connection, ==, STROBE_ABSENT_U64);
    double_end(mock);
}

/* Calls around a launch have the launch's connection, unlike later calls of the thread and calls of
 * other threads. */
static void test_calls_of_a_launch(void)
{
    StrobeMockHost *mock = double_load("acl_api+node_api+runtime_api");
    guint64 base = double_begin_window(mock);

    double_play(base, "api 12 70001 5 rtLaunch 20 5");
    double_play(base, "api 11 70001 5 launch 15 20");
    double_play(base, "api 12 70002 6 rtLaunch 20 5"); /* on another thread */
    double_play(base, "api 12 70001 5 rtQuery 40 5");
    double_play(base, "api 10 70001 5 aclnnMm 10 50");
    double_play(base, "api 10 70001 5 aclrtSync 70 5");
    double_play(base, "api 10 70001 0 aclrtSync 80 5");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "api_call", NULL), ==, 7);
    const guint64 five = connection_of_call(mock, 0), six = connection_of_call(mock, 2);
    const guint64 none = STROBE_ABSENT_U64;
    const guint64 expected[] = {five, five, six, none, five, none, none};
    g_assert_cmpuint(five, !=, six);
    for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
        g_assert_cmpuint(connection_of_call(mock, i), ==, expected[i]);
    double_end(mock);
}

/* Kinds stay enabled between windows. Tasks between windows are not recorded. Tasks that come after
 * their window was sealed are counted as late. */
static void test_windows(void)
{
    StrobeMockHost *mock = double_load("kernel");
    guint64 first = double_begin_window(mock);

    double_play_task(first, 220001);
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 1);
    g_assert_cmpuint(double_state()->enabled, ==,
                     /* calls of the node level are enabled so that the drain knows for which tasks
                      * to wait */
                     1u << 2 | 1u << 3);
    g_usleep(1000);
    double_play(double_now_ns(), "kernel 0 3 2 KERNEL_AICORE mm 0 5");
    guint64 second = double_begin_window(mock);
    double_play(first, "kernel 0 3 3 KERNEL_AICORE mm 5 5");
    double_play_task(second, 220002);
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 2);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    double_end(mock);
}

static void test_texts_that_are_missing(void)
{
    StrobeMockHost *mock = double_load("kernel+communication+marker");
    guint64 base = double_begin_window(mock);

    double_play(base, "kernel 4294967295 4294967295 1 NULL NULL 0 5");
    double_play(base, "kernel 0 3 1 - KERNEL_AICORE 0 5");
    double_play(base, "comm 0 9 2 NULL NULL NULL 65535 0 10 5");
    double_play(base, "marker 1 0 3 1 2 NULL NULL 20");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 2);
    g_assert_cmpuint(get_task(mock, 0)->core, ==, 0);
    g_assert_cmpuint(tree_count(mock, "comm_op", ""), ==, 1);
    const struct strobe_comm_op *op = tree_record(mock, "comm_op", NULL, 0)->fields;
    g_assert_cmpuint(op->data_type | op->group | op->algorithm, ==, 0);
    g_assert_cmpuint(*(const guint32 *)(op + 1), ==, 9); /* npu_task.stream */
    g_assert_cmpuint(tree_count(mock, "marker_instant", ""), ==, 1);
    double_end(mock);
}

/* Records with impossible times are counted and reported, but not recorded. */
static void test_times(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    guint64 base = double_begin_window(mock);

    double_play(base,
                /* the end precedes the begin */
                "kernel 0 3 1 KERNEL_AICORE mm 5 18446744073709551614");
    double_play(0, "kernel 1 3 2 KERNEL_AICORE mm 5 5");
    double_play(base, "kernel 1 3 3 KERNEL_AICORE mm 3600000000000 5");
    double_play(base, "api 11 70001 3 launch 5 18446744073709551614");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 0);
    g_assert_cmpuint(tree_count(mock, "api_call", NULL), ==, 0);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 4);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "of device 1 too"));
    double_end(mock);
}

/* MSPTI accepts only one subscriber, so each session ends its subscription. */
static void test_sessions(void)
{
    for (guint i = 0; i < 3; i++) {
        StrobeMockHost *mock = double_load("kernel");
        guint64 base = double_begin_window(mock);

        g_assert_cmpint(double_state()->is_subscribed, ==, 1);
        double_play_task(base, 230001 + i);
        double_end_window(mock);
        g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 1);
        g_assert_cmpuint(tree_count(mock, "clock_sync", NULL), >=, 3);
        g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
        g_assert_cmpint(double_state()->is_subscribed, ==, 0);
        g_assert_cmpuint(double_state()->enabled, ==, 0);
        double_end(mock);
    }
}

/* ---- late records ---- */

typedef struct Late {
    guint64 base;
    gint is_over;
} Late;

/* Another thread continues to launch tasks; the end of the window does not wait for these. */
static gpointer launch_on(gpointer user)
{
    Late *late = user;

    while (!g_atomic_int_get(&late->is_over)) {
        double_play(double_now_ns(), "launch 70002 1 3 KERNEL_AICORE mm 0 5");
        double_play(double_now_ns(), "call 11 70002 launch 0 5");
        g_usleep(5000);
    }
    return NULL;
}

static void test_others_go_on(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    guint64 base = double_begin_window(mock);
    Late late = {0};

    double_play(base, "launch 70001 0 3 KERNEL_AICORE mine 10 5");
    double_play(base, "call 11 70001 launch 0 5");
    GThread *thread = g_thread_new("launching", launch_on, &late);
    g_usleep(20000);
    double_end_window(mock);
    g_atomic_int_set(&late.is_over, 1);
    g_thread_join(thread);
    g_assert_cmpuint(tree_count(mock, "device_task", "simulated mine"), ==, 1);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 0);
    /* the time limit was not reached */
    g_assert_cmpstr(strobe_mock_host_messages(mock), ==, "");
    double_end(mock);
}

/* The end of the window waits for late tasks, even if calls are not recorded. */
static void test_late_tasks(void)
{
    static const char *const activities[] = {"kernel+node_api", "kernel", "kernel+communication"};

    for (guint i = 0; i < G_N_ELEMENTS(activities); i++) {
        setenv("MSPTI_DOUBLE", i == 0 ? "lag=1500" : "lag=300", 1);
        StrobeMockHost *mock = double_load(activities[i]);
        guint64 base = double_begin_window(mock);
        for (guint k = 0; k < 20; k++) {
            double_play(base, "launch 70001 0 3 KERNEL_AICORE mm %u 5", k * 20 + 10);
            double_play(base, "call 11 70001 launch %u 8", k * 20);
        }
        g_usleep(1000);
        double_end_window(mock);
        g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 20);
        g_assert_cmpuint(tree_count(mock, "api_call", NULL), ==, i == 0 ? 20 : 0);
        double_end(mock);
    }
    unsetenv("MSPTI_DOUBLE");
}

static gpointer tell_second_device(gpointer user)
{
    const Late *late = user;

    g_usleep(400000);
    for (guint i = 1; i < 10; i++)
        double_play(late->base, "kernel 1 3 %u KERNEL_AICORE mm %u 5", 100000 + i, 200 + i);
    return NULL;
}

/* One device has reported the task of the latest launch; the end of the window must still wait for
 * the tasks of the other device. */
static void test_second_device(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    Late late = {.base = double_begin_window(mock)};

    for (guint i = 1; i <= 10; i++)
        double_play(late.base, "api 11 70001 %u launch %u 5", 100000 + i, i * 10);
    double_play(late.base, "kernel 0 3 100010 KERNEL_AICORE mm 200 5");
    g_usleep(1000);
    GThread *thread = g_thread_new("late", tell_second_device, &late);
    double_end_window(mock);
    g_thread_join(thread);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 10);
    double_end(mock);
}

/* The window reports that a task is missing. If the task comes later, it is not counted again. */
static void test_not_reported_in_time(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    guint64 first = double_begin_window(mock);

    double_play(first, "api 11 70001 200001 launch 0 5");
    double_play(first, "api 11 70001 200002 launch 10 5");
    double_play(first, "kernel 0 3 200001 KERNEL_AICORE mm 6 5");
    double_end_window(mock);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    g_assert_nonnull(
        strstr(strobe_mock_host_messages(mock), "The tasks of 1 launches were not reported"));
    g_assert_cmpuint(tree_count(mock, "diagnostic", "npu_task"), ==, 1);
    guint64 second = double_begin_window(mock);
    double_play(first, "kernel 0 3 200002 KERNEL_AICORE mm 16 5");
    double_play(second, "api 11 70001 200003 launch 0 5");
    double_play(second, "kernel 0 3 200003 KERNEL_AICORE mm 6 5");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 2);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    double_end(mock);
}

/* ---- tasks after the window's end ---- */

static guint32 flags_of(StrobeMockHost *mock, const char *kind, const char *name)
{
    const StrobeMockRecord *record = tree_record(mock, kind, name, 0);

    g_assert_cmpuint(tree_count(mock, kind, name), ==, 1);
    return record->flags & STROBE_RECORD_OF_WINDOW;
}

static void stop_mock(StrobeMockHost *mock)
{
    g_usleep(20);
    g_assert_cmpint(strobe_mock_host_stop(mock), ==, STROBE_OK);
    g_usleep(20);
}

/* Tasks that were launched in the window belong to it, even if the device begins them after the
 * window's end, and in whatever order calls and tasks are reported. Tasks that were launched later
 * do not. */
static void test_begun_behind_the_end(void)
{
    StrobeMockHost *mock = double_load("kernel+communication+node_api+marker");
    guint64 base = double_begin_window(mock);

    double_play(base, "api 11 70001 400001 launch 0 5");
    double_play(base, "marker 16 0 400001 1 2 forward default 0");
    stop_mock(mock);
    guint64 behind = double_now_ns();
    double_play(behind, "kernel 0 3 400001 KERNEL_AICORE called 0 5");
    double_play(behind, "kernel 0 3 400003 KERNEL_AICORE several 10 5");
    double_play(behind, "kernel 0 3 400004 KERNEL_AICORE reported_first 20 5");
    double_play(behind, "comm 0 9 400005 reduce group RING 4 16 30 5");
    double_play(behind, "kernel 0 3 400007 KERNEL_AICORE later 40 5");
    double_play(behind, "kernel 0 3 400009 KERNEL_AICORE nobody_knows 50 5");
    double_play(base, "api 11 70001 400004 launch 6 5"); /* also launches 400002 and 400003 */
    double_play(base, "api 11 70001 400005 launch 12 5");
    double_play(behind, "api 11 70001 400007 launch 0 5");
    double_play(behind, "marker 16 1 400001 1 3 - - 60");
    double_play(behind, "marker 32 1 400001 1 3 - - 70");
    g_usleep(1000);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 4);
    g_assert_cmpuint(flags_of(mock, "device_task", "simulated called"), !=, 0);
    g_assert_cmpuint(flags_of(mock, "device_task", "simulated several"), !=, 0);
    g_assert_cmpuint(flags_of(mock, "device_task", "simulated reported_first"), !=, 0);
    g_assert_cmpuint(flags_of(mock, "comm_op", NULL), !=, 0);
    g_assert_cmpuint(flags_of(mock, "device_task", "simulated nobody_knows"), ==, 0);
    for (guint i = 0; i < 2; i++) /* only the device's side is after the end of the window */
        g_assert_cmpuint(!tree_record(mock, "marker", NULL, i)->flags, ==,
                         tree_record(mock, "marker", NULL, i)->begin < behind);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 0);
    double_end(mock);
}

/* Tasks run between two windows. A task that is reported before the first window is sealed belongs
 * to the first window; a task that comes later is counted once. */
static void test_begun_between_windows(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    guint64 first = double_begin_window(mock);

    double_play(first, "api 11 70001 410001 launch 0 5");
    double_play(first, "api 11 70001 410002 launch 6 5");
    stop_mock(mock);
    guint64 between = double_now_ns();
    double_play(between, "kernel 0 3 410001 KERNEL_AICORE told 0 5");
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    g_usleep(1000);
    guint64 second = double_begin_window(mock);
    double_play(between, "kernel 0 3 410002 KERNEL_AICORE too_late 5 5");
    double_play(second, "api 11 70001 410003 launch 0 5");
    double_play(second, "kernel 0 3 410003 KERNEL_AICORE next 6 5");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 2);
    g_assert_cmpuint(flags_of(mock, "device_task", "simulated told"), !=, 0);
    g_assert_cmpuint(tree_count(mock, "device_task", "simulated next"), ==, 1);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    double_end(mock);
}

/* There are more such tasks than can be stored until their launches are known. Then the launches
 * that are known by then decide. */
static void test_many_begun_behind_the_end(void)
{
    StrobeMockHost *mock = double_load("kernel+node_api");
    MsptiDoubleKernels *kernels = (MsptiDoubleKernels *)double_symbol("mspti_double_kernels");
    guint64 base = double_begin_window(mock);
    guint n_own = 0;

    double_play(base, "api 11 70001 430000 launch 0 5");
    stop_mock(mock);
    kernels(30000, 420001, double_now_ns(), 1);
    g_usleep(1000);
    g_assert_cmpint(strobe_mock_host_flush(mock, 2000000000), ==, STROBE_OK);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 30000);
    for (gsize i = 0; i < strobe_mock_host_n_records(mock); i++) {
        const StrobeMockRecord *record = strobe_mock_host_record(mock, i);
        n_own += !strcmp(record->kind->name, "device_task") && record->flags != 0;
    }
    g_assert_cmpuint(n_own, ==, 10000);
    double_end(mock);
}

/* A record with a time in an earlier session counts as late. Its time does not count as impossible,
 * like that of a clock of unknown rate. */
static void test_reported_to_the_next_session(void)
{
    StrobeMockHost *mock = double_load("kernel");
    guint64 first = double_begin_window(mock);
    double_end_window(mock);
    double_end(mock);
    g_usleep(1200000);
    mock = double_load("kernel");
    double_begin_window(mock);
    double_play(first, "kernel 0 3 300001 KERNEL_AICORE mm 5 5");
    double_end_window(mock);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_COLLECTOR_DROPPED), ==, 0);
    g_assert_cmpuint(strobe_mock_host_n_lost(mock, STROBE_LOSS_LATE), ==, 1);
    g_assert_nonnull(strstr(strobe_mock_host_messages(mock), "after their window was sealed"));
    double_end(mock);
}

/* The records need each buffer several times. */
static void test_many(void)
{
    StrobeMockHost *mock = double_load("kernel");
    guint64 base = double_begin_window(mock);
    MsptiDoubleKernels *kernels = (MsptiDoubleKernels *)double_symbol("mspti_double_kernels");

    kernels(100000, 1, base, 1);
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "device_task", NULL), ==, 100000);
    for (guint i = 0; i < 2; i++)
        g_assert_cmpuint(tree_record(mock, "device_task", NULL, i)->track, !=,
                         tree_record(mock, "device_task", NULL, i + 1)->track);
    double_end(mock);
}

/* torch_npu makes marks only while MSPTI reports that marks are enabled. */
static void test_marks_are_enabled(void)
{
    StrobeMockHost *mock = double_load("kernel+marker");
    bool (*is_enabled)(gint) = (bool (*)(gint))double_symbol("msptiActivityIsEnabled");

    g_assert_false(is_enabled(1));
    double_begin_window(mock);
    g_assert_true(is_enabled(1));
    g_assert_false(is_enabled(12));
    double_end_window(mock);
    g_assert_true(is_enabled(1));
    g_assert_cmpint(strobe_mock_host_close(mock), ==, STROBE_OK);
    g_assert_false(is_enabled(1));
    double_end(mock);
}

/* Marks of a disabled domain, and the ends of its ranges, are not recorded. */
static void test_domains_that_are_off(void)
{
    StrobeMockHost *mock = double_load("marker");
    gint (*disable)(const char *) =
        (gint(*)(const char *))double_symbol("msptiActivityDisableMarkerDomain");
    gint (*enable)(const char *) =
        (gint(*)(const char *))double_symbol("msptiActivityEnableMarkerDomain");
    guint64 base = double_begin_window(mock);

    g_assert_cmpint(disable(NULL), ==, 1);
    g_assert_cmpint(disable("quiet"), ==, 0);
    double_play(base, "marker 2 0 1 1 2 heard loud 0");
    double_play(base, "marker 2 0 2 1 2 unheard quiet 5");
    double_play(base, "marker 4 0 2 1 2 - - 8");
    double_play(base, "marker 4 0 1 1 2 - - 10");
    g_assert_cmpint(enable("quiet"), ==, 0);
    double_play(base, "marker 1 0 3 1 2 tick quiet 12");
    double_end_window(mock);
    g_assert_cmpuint(tree_count(mock, "marker", "simulated heard"), ==, 1);
    g_assert_cmpuint(tree_count(mock, "marker", NULL), ==, 1);
    g_assert_cmpuint(tree_count(mock, "marker_instant", "simulated tick"), ==, 1);
    double_end(mock);
}

/* On a buffer that is read to its end, mspti_walk_next() finds the same records as the library's
 * function. npu_task does not use the library's function, because after a buffer that was not read
 * to its end it begins in the middle of the next buffer. */
static void test_the_library_walks_alike(void)
{
    StrobeMockHost *mock = double_load("kernel"); /* loads the simulated MSPTI */
    gint (*next)(guint8 *, gsize, guint8 **) =
        (gint(*)(guint8 *, gsize, guint8 **))double_symbol("msptiActivityGetNextRecord");
    static const gint32 kinds[] = {2, 9, 11, 1, 8, 5, 6, 7, 4, 3};
    guint64 room[128] = {0};
    guint8 *bytes = (guint8 *)room, *record = NULL;
    MsptiWalk walk = {bytes, 0, 0, NULL};
    gint32 kind = 0;

    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        memcpy(bytes + walk.valid, &kinds[i], sizeof kinds[i]);
        walk.valid += kinds[i] == 9 ? 72 : kinds[i] == 5 ? 64 : kinds[i] == 8 ? 24 : 56;
        walk.valid -= kinds[i] == 3 || kinds[i] == 11 ? 8 : 0;
    }
    for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_assert_cmpint(next(bytes, walk.valid, &record), ==, 0);
        g_assert_true(record == mspti_walk_next(&walk, &kind));
        g_assert_cmpint(kind, ==, kinds[i]);
    }
    g_assert_cmpint(next(bytes, walk.valid, &record), ==, 3);
    g_assert_null(mspti_walk_next(&walk, &kind));
    g_assert_cmpint(next(bytes, walk.valid, &record), ==, 0);
    g_assert_cmpint(next(bytes, walk.valid, &record), ==, 0);
    g_assert_true(record == bytes + 56);
    double_end(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    double_find();
    /* These tests run first, because the simulated MSPTI counts launches from 1, while other tests
     * use any ids. */
    g_test_add_func("/npu_task/late-others-go-on", test_others_go_on);
    g_test_add_func("/npu_task/late-tasks", test_late_tasks);
    g_test_add_func("/npu_task/late-second-device", test_second_device);
    g_test_add_func("/npu_task/late-not-in-time", test_not_reported_in_time);
    g_test_add_func("/npu_task/ids-used-again", test_ids_used_again);
    g_test_add_func("/npu_task/calls-of-a-launch", test_calls_of_a_launch);
    g_test_add_func("/npu_task/windows", test_windows);
    g_test_add_func("/npu_task/missing-texts", test_texts_that_are_missing);
    g_test_add_func("/npu_task/times", test_times);
    g_test_add_func("/npu_task/sessions", test_sessions);
    g_test_add_func("/npu_task/begun-behind-the-end", test_begun_behind_the_end);
    g_test_add_func("/npu_task/begun-between-windows", test_begun_between_windows);
    g_test_add_func("/npu_task/begun-behind-the-end-many", test_many_begun_behind_the_end);
    g_test_add_func("/npu_task/late-session", test_reported_to_the_next_session);
    g_test_add_func("/npu_task/many", test_many);
    g_test_add_func("/npu_task/marks-are-enabled", test_marks_are_enabled);
    g_test_add_func("/npu_task/domains-that-are-off", test_domains_that_are_off);
    g_test_add_func("/npu_task/the-library-walks-alike", test_the_library_walks_alike);
    return g_test_run();
}
