/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <math.h>

static void add_operation(StrobeMockHost *mock, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(comm_op, fields);
    fields.op_type = strobe_mock_string(mock, "hcom_allReduce_");
    TEST_ADD(mock, comm_op, strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "g", "HCCL", 0),
             "hcom_allReduce__1", begin_ns, end_ns, &fields);
}

static void add_metrics(StrobeMockHost *mock, uint64_t task)
{
    TEST_FIELDS(device_pmu, fields);
    fields.task = task;
    fields.metrics = strobe_mock_string(mock, "aic_total_time;aic_mac_ratio");
    fields.value[0] = 1500.5;
    fields.value[1] = 0.25;
    TEST_ADD(mock, device_pmu, test_stream(mock, 0, 5), "", 0, 1, &fields);
}

/* Adds these rows, sorted by begin: mm 1000..2000, add 2250..2500 (waits 250), the operation
 * 2400..3000 (overlaps, so it waits 0), mm 2900..2910. The wait counts from the end of the previous
 * row, not from the latest end of all earlier rows. */
static void add_kernels(StrobeMockHost *mock)
{
    StrobeTrackId stream = test_stream(mock, 0, 5);

    add_metrics(mock, 2);
    test_task(mock, stream, "mm", "AI_CORE", 1000, 2000, 1);
    test_task(mock, stream, "add", "AI_VECTOR_CORE", 2250, 2500, 2);
    test_task(mock, stream, "mm", "AI_CORE", 2900, 2910, 3);
    add_operation(mock, 2400, 3000);
    test_task(mock, test_stream(mock, 1, 5), "mm", "AI_CORE", 9000, 9100, 4);
    test_step(mock, 6, 900, 1000, 2250);
    test_step(mock, 7, 2200, 2300, 2500);
}

static const struct strobe_kernel_detail *get_row(const StrobeView *views, size_t at)
{
    return views[at].fields;
}

static void test_wait(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *views;

    add_kernels(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 5);
    g_assert_true(isnan(get_row(views, 0)->wait));
    g_assert_cmpfloat(get_row(views, 1)->wait, ==, 250);
    g_assert_cmpfloat(get_row(views, 2)->wait, ==, 0);
    g_assert_cmpfloat(get_row(views, 3)->wait, ==, 0);
    g_assert_true(isnan(get_row(views, 4)->wait)); /* the row belongs to another device */
    g_assert_cmpint(get_row(views, 4)->device, ==, 1);
    strobe_mock_free(mock);
}

/* From generation 2 on, the wait is computed in microseconds as doubles, which have a resolution of
 * 0.25 us. */
static void test_wait_coarse(void)
{
    const int64_t base = INT64_C(1764246877147000000);
    StrobeMockHost *mock = test_device_host(2);
    StrobeTrackId stream = test_stream(mock, 0, 5);
    const StrobeView *views;

    test_task(mock, stream, "a", "AI_CORE", base + 100, base + 1100, 1);
    test_task(mock, stream, "b", "AI_CORE", base + 2000, base + 2100, 2);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 2);
    g_assert_cmpfloat(get_row(views, 1)->wait, ==, 1000); /* 2.0 - 0.0 - 1.0 us */
    strobe_mock_free(mock);
}

/* The begin and the end of a step belong to it; a row belongs to the first step that contains its
 * begin. */
static void test_step_of(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *views;

    add_kernels(mock);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    strobe_mock_emitted(mock, &views);
    g_assert_cmpint(get_row(views, 0)->step, ==, 6);
    g_assert_cmpint(get_row(views, 1)->step, ==, 6);
    g_assert_cmpint(get_row(views, 2)->step, ==, 7);
    g_assert_cmpint(get_row(views, 3)->step, ==, STROBE_ABSENT_I64);
    strobe_mock_free(mock);
}

static void test_fields(void)
{
    static const char *const cores[] = {"HCCL", "COMMUNICATION"};

    for (int32_t generation = 1; generation <= 2; generation++) {
        StrobeMockHost *mock = test_device_host(generation);
        const StrobeView *views;

        add_kernels(mock);
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        strobe_mock_emitted(mock, &views);
        g_assert_cmpstr(strobe_mock_text(mock, get_row(views, 2)->core), ==, cores[generation - 1]);
        g_assert_cmpuint(get_row(views, 2)->is_communication, ==, 1);
        g_assert_cmpstr(strobe_mock_text(mock, get_row(views, 1)->core), ==, "AI_VECTOR_CORE");
        g_assert_cmpstr(strobe_mock_text(mock, get_row(views, 1)->metrics), ==,
                        "aic_total_time;aic_mac_ratio");
        g_assert_cmpfloat(get_row(views, 1)->value[0], ==, 1500.5);
        g_assert_cmpfloat(get_row(views, 1)->value[1], ==, 0.25);
        g_assert_true(isnan(get_row(views, 1)->value[2]));
        g_assert_cmpuint(get_row(views, 0)->metrics, ==, 0);
        strobe_mock_free(mock);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kernel-detail/wait", test_wait);
    g_test_add_func("/kernel-detail/wait-coarse", test_wait_coarse);
    g_test_add_func("/kernel-detail/step", test_step_of);
    g_test_add_func("/kernel-detail/fields", test_fields);
    return g_test_run();
}
