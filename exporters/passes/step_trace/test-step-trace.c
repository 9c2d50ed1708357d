/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <math.h>
#include <string.h>

static void add_overlap(StrobeMockHost *mock, uint32_t type, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(overlap, fields);
    fields.type = type;
    fields.device = 0;
    TEST_ADD(mock, overlap, 0, "Computing", begin_ns, end_ns, &fields);
}

static void add_operation(StrobeMockHost *mock, const char *name, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(comm_op, fields);
    TEST_ADD(mock, comm_op, strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "g", "HCCL", 0), name,
             begin_ns, end_ns, &fields);
}

static const struct strobe_step_trace *run_mock(StrobeMockHost *mock, size_t n)
{
    const StrobeView *views;

    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, n);
    return n ? views[0].fields : NULL;
}

/* Adds computing 1000..3000, communication 2500..5000, free 5000..6000. The first and the last
 * event are outside the step. */
static void add_overlaps(StrobeMockHost *mock)
{
    test_step(mock, 50, 500, 1000, 6000);
    add_overlap(mock, 0, 100, 900);
    add_overlap(mock, 0, 1000, 3000);
    add_overlap(mock, 1, 2500, 5000);
    add_overlap(mock, 2, 3000, 5000);
    add_overlap(mock, 3, 5000, 6000);
    add_overlap(mock, 0, 6000, 7000);
}

static void test_text(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_step_trace *row;

    add_overlaps(mock);
    row = run_mock(mock, 1);
    g_assert_cmpint(row->step, ==, 50);
    g_assert_cmpint(row->device, ==, 0);
    g_assert_cmpuint(row->is_exact, ==, 0);
    g_assert_cmpfloat(row->computing, ==, 2.0);
    g_assert_cmpfloat(row->communication, ==, 2.5);
    g_assert_cmpfloat(row->communication_not_overlapped, ==, 2.0);
    g_assert_cmpfloat(row->overlapped, ==, 0.5);
    g_assert_cmpfloat(row->free, ==, 1.0);
    g_assert_cmpfloat(row->stage, ==, 5.0);
    g_assert_true(isnan(row->bubble));
    g_assert_cmpfloat(row->communication_exclude_receive, ==, 2.0);
    g_assert_cmpfloat(row->preparing, ==, 0.5);
    strobe_mock_free(mock);
}

/* The time of waiting for a neighbour is a bubble. It is part of neither the stage nor the time in
 * which only communication runs. */
static void test_receive(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_step_trace *row;

    add_overlaps(mock);
    add_operation(mock, "hcom_receive__1", 3000, 4500);
    add_operation(mock, "hcom_send__1", 3000, 4500);
    row = run_mock(mock, 1);
    g_assert_cmpfloat(row->bubble, ==, 1.5);
    g_assert_cmpfloat(row->stage, ==, 3.5);
    g_assert_cmpfloat(row->communication_exclude_receive, ==, 0.5);
    g_assert_cmpfloat(row->communication, ==, 2.5);
    strobe_mock_free(mock);
}

/* Without steps there is one row for each device, which counts from the first operator. */
static void test_no_steps(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const struct strobe_step_trace *row;
    TEST_FIELDS(cpu_op, fields);

    add_overlap(mock, 0, 1000, 3000);
    TEST_ADD(mock, cpu_op, test_thread(mock, 1), "mm", 400, 900, &fields);
    row = run_mock(mock, 1);
    g_assert_cmpint(row->step, ==, STROBE_ABSENT_I64);
    g_assert_cmpfloat(row->computing, ==, 2.0);
    g_assert_true(isnan(row->communication));
    g_assert_cmpfloat(row->preparing, ==, 0.6);
    strobe_mock_free(mock);
}

/* The row is computed from kernels and operations: kernels 1000..2000, 1500..3000 and 4000..4500,
 * communication 2500..3500, which includes a receive. Free time is only the time between busy
 * intervals. */
static void test_database(void)
{
    StrobeMockHost *mock = test_device_host(1);
    StrobeTrackId stream = test_stream(mock, 0, 5);
    const struct strobe_step_trace *row;

    strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_db\"}");
    add_overlaps(mock);
    test_task(mock, stream, "mm", "AI_CORE", 1000, 2000, 1);
    test_task(mock, stream, "mm", "AI_CORE", 1500, 3000, 2);
    test_task(mock, stream, "mm", "AI_CORE", 4000, 4500, 3);
    test_task(mock, stream, "mm", "AI_CORE", 6000, 6500, 4); /* after the step */
    add_operation(mock, "hcom_receive__1", 2500, 3500);
    row = run_mock(mock, 1);
    g_assert_cmpuint(row->is_exact, ==, 1);
    g_assert_cmpfloat(row->computing, ==, 2.5);
    g_assert_cmpfloat(row->communication, ==, 1.0);
    g_assert_cmpfloat(row->communication_not_overlapped, ==, 0.5);
    g_assert_cmpfloat(row->overlapped, ==, 0.5);
    g_assert_cmpfloat(row->free, ==, 0.5);
    g_assert_cmpfloat(row->bubble, ==, 1.0);
    g_assert_cmpfloat(row->stage, ==, 2.5);
    g_assert_cmpfloat(row->communication_exclude_receive, ==, 0.0);
    g_assert_cmpfloat(row->preparing, ==, 0.5);
    strobe_mock_free(mock);
}

static void test_nothing(void)
{
    StrobeMockHost *mock = test_device_host(1);

    test_step(mock, 50, 500, 1000, 6000);
    run_mock(mock, 0);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/step-trace/text", test_text);
    g_test_add_func("/step-trace/receive", test_receive);
    g_test_add_func("/step-trace/no-steps", test_no_steps);
    g_test_add_func("/step-trace/database", test_database);
    g_test_add_func("/step-trace/nothing", test_nothing);
    return g_test_run();
}
