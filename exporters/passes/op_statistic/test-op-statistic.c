/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

static void check_row(const StrobeView *view, uint64_t count, double total, double avg, double max,
                      double ratio, int32_t device)
{
    const struct strobe_op_statistic *fields = view->fields;

    g_assert_cmpuint(fields->count, ==, count);
    g_assert_cmpfloat(fields->total, ==, total);
    g_assert_cmpfloat(fields->avg, ==, avg);
    g_assert_cmpfloat(fields->max, ==, max);
    g_assert_cmpfloat(fields->ratio, ==, ratio);
    g_assert_cmpint(fields->device, ==, device);
}

static void add_tasks(StrobeMockHost *mock)
{
    StrobeTrackId stream = test_stream(mock, 0, 5);

    test_task(mock, stream, "Add", "AI_CORE", 0, 1000, 1);
    test_task(mock, stream, "Mul", "AI_CORE", 0, 1000, 2);
    test_task(mock, stream, "Mul", "AI_CORE", 0, 1003, 3);
    test_task(mock, stream, "Mul", "MIX_AIC", 0, 999, 4);
    test_task(mock, stream, "N/A", "AI_CORE", 0, 999, 5);
    test_task(mock, test_stream(mock, 1, 5), "Add", "AI_CORE", 0, 10, 6);
}

/* Rows are grouped by type, core and device, and sorted by time, the longest first. The mean is
 * truncated from generation 2 on, and rounded in generation 1. */
static void test_groups(void)
{
    for (int32_t generation = 1; generation <= 2; generation++) {
        StrobeMockHost *mock = test_device_host(generation);
        const StrobeView *views;

        add_tasks(mock);
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 4);
        check_row(&views[0], 2, 2003, generation == 1 ? 1002 : 1001, 1003, 2003.0 / 4002.0 * 100.0,
                  0);
        g_assert_cmpstr(strobe_mock_text(mock, views[0].name), ==, "Mul");
        check_row(&views[1], 1, 1000, 1000, 1000, 1000.0 / 4002.0 * 100.0, 0);
        check_row(&views[2], 1, 999, 999, 999, 999.0 / 4002.0 * 100.0, 0);
        check_row(&views[3], 1, 10, 10, 10, 100, 1);
        strobe_mock_free(mock);
    }
}

/* In generation 1 durations with fractions of a ns are summed up exactly, and only the sum is
 * rounded. */
static void test_exact(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *views;

    for (int i = 0; i < 4; i++) {
        TEST_FIELDS(device_task, fields);
        fields.is_kernel = 1;
        fields.op_type = strobe_mock_string(mock, "Mul");
        fields.exact_us = 1.00025;
        TEST_ADD(mock, device_task, test_stream(mock, 0, 1), "m", 0, 1000, &fields);
    }
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 1);
    check_row(&views[0], 4, 4001, 1000, 1000, 100, 0);
    strobe_mock_free(mock);
}

static void add_named(StrobeMockHost *mock, const char *name)
{
    TEST_FIELDS(device_task, fields);
    fields.is_kernel = 1;
    fields.core = strobe_mock_string(mock, "AI_CORE");
    TEST_ADD(mock, device_task, test_stream(mock, 0, 1), name, 0, 1000, &fields);
}

/* Only the names of the kernels are known, as from MSPTI. An import of a result without types has
 * no table. */
static void test_names(void)
{
    for (int is_import = 0; is_import < 2; is_import++) {
        StrobeMockHost *mock = test_device_host(3);
        const StrobeView *views;

        if (is_import)
            strobe_mock_metadata_entry(mock, "source", "{\"importer\": \"ascend_text\"}");
        add_named(mock, "aclnnMm_MatMulV3Common_MatMulV3");
        add_named(mock, "aclnnMatmul_MatMulCommon_MatMulV3");
        add_named(mock, "te_add_17");
        g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
        g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, is_import ? 0 : 2);
        if (!is_import) {
            g_assert_cmpstr(strobe_mock_text(mock, views[0].name), ==, "MatMulV3");
            check_row(&views[0], 2, 2000, 1000, 1000, 2000.0 / 3000.0 * 100.0, 0);
            g_assert_cmpstr(strobe_mock_text(mock, views[1].name), ==, "te_add_17");
        }
        strobe_mock_free(mock);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/op-statistic/groups", test_groups);
    g_test_add_func("/op-statistic/exact", test_exact);
    g_test_add_func("/op-statistic/names", test_names);
    return g_test_run();
}
