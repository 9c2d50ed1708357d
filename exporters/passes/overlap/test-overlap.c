/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <string.h>

static void add_operation(StrobeMockHost *mock, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(comm_op, fields);
    TEST_ADD(mock, comm_op, strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "g", "HCCL", 0),
             "hcom_allReduce_", begin_ns, end_ns, &fields);
}

static void add_other(StrobeMockHost *mock, const char *host_type, int64_t begin_ns, int64_t end_ns)
{
    TEST_FIELDS(device_task, fields);
    fields.host_type = strobe_mock_string(mock, host_type);
    TEST_ADD(mock, device_task, test_stream(mock, 0, 5), "copy", begin_ns, end_ns, &fields);
}

/* Adds kernels 100..200 and 200..300, which touch, and 400..500; communication 250..450; a copy
 * 10..20. */
static void add_tasks(StrobeMockHost *mock)
{
    StrobeTrackId stream = test_stream(mock, 0, 5);

    add_other(mock, "MEMCPY_ASYNC", 10, 20);
    add_other(mock, "PROFILING_DISABLE", 900, 950);
    test_task(mock, stream, "mm", "AI_CORE", 100, 200, 1);
    test_task(mock, stream, "mm", "AI_CORE", 200, 300, 2);
    test_task(mock, stream, "mm", "AI_CORE", 400, 500, 3);
    test_task(mock, stream, "mm", "AI_CORE", 600, 600, 4);
    test_task(mock, stream, "allReduceAivKernel", "AI_CORE", 250, 450, 5);
    add_operation(mock, 250, 450);
}

static void check_device(StrobeMockHost *mock, int device, const char *expected)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const StrobeView *views;
    size_t n;

    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    n = strobe_mock_emitted(mock, &views);
    for (size_t i = 0; i < n; i++) {
        const struct strobe_overlap *fields = views[i].fields;

        g_assert_cmpint(fields->device, ==, device);
        g_string_append_printf(text, "%u:%d-%d ", fields->type, (int)views[i].begin_ns,
                               (int)views[i].end_ns);
    }
    g_assert_cmpstr(text->str, ==, expected);
}

static void check_overlaps(StrobeMockHost *mock, const char *expected)
{
    check_device(mock, 0, expected);
}

static void add_operator(StrobeMockHost *mock, const char *name, int64_t begin_ns, int64_t end_ns,
                         uint8_t scope)
{
    TEST_FIELDS(cpu_op, fields);
    fields.scope = scope;
    TEST_ADD(mock, cpu_op, test_thread(mock, 1), name, begin_ns, end_ns, &fields);
}

/* On the host, operators count as computing, except ranges and operators that start communication.
 * Without communication there is no record of the host. */
static void test_host(void)
{
    for (int has_groups = 0; has_groups < 2; has_groups++) {
        StrobeMockHost *mock = test_device_host(3);
        TEST_FIELDS(comm_op, fields);

        add_operator(mock, "aten::empty", 110, 120, 0);
        add_operator(mock, "aten::mm", 100, 200, 0);
        add_operator(mock, "c10d::allreduce_", 240, 245, 0);
        add_operator(mock, "aten::add", 300, 400, 0);
        add_operator(mock, "ProfilerStep#1", 0, 1000, 7);
        if (has_groups)
            TEST_ADD(mock, comm_op,
                     strobe_mock_track(mock, STROBE_TRACK_STREAM, 0, "g", "Communication", -1),
                     "hcom_allReduce_", 250, 450, &fields);
        check_device(mock, -1,
                     has_groups ? "0:100-200 0:300-400 1:250-450 2:250-300 2:400-450 3:200-250 "
                                : "");
        strobe_mock_free(mock);
    }
}

static void test_layers(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_tasks(mock);
    check_overlaps(mock, "0:100-300 0:400-500 1:250-450 2:300-400 3:500-600 ");
    strobe_mock_free(mock);
}

/* From generation 3 on, other tasks extend the range, but not the task that ends the profiling. */
static void test_free(void)
{
    StrobeMockHost *mock = test_device_host(3);

    add_tasks(mock);
    check_overlaps(mock, "0:100-300 0:400-500 1:250-450 2:300-400 3:10-100 3:500-600 ");
    strobe_mock_free(mock);
}

static void test_empty(void)
{
    StrobeMockHost *mock = test_device_host(1);

    check_overlaps(mock, "");
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/overlap/host", test_host);
    g_test_add_func("/overlap/layers", test_layers);
    g_test_add_func("/overlap/free", test_free);
    g_test_add_func("/overlap/empty", test_empty);
    return g_test_run();
}
