/* SPDX-License-Identifier: Apache-2.0 */
#include "test-device.h"

#include <string.h>

static void add_event(StrobeMockHost *mock, const char *component, int64_t at_ns, uint32_t action,
                      int64_t allocated, int64_t active, uint64_t stream)
{
    TEST_FIELDS(memory_event, fields);
    fields.action = action;
    fields.total_allocated = allocated;
    fields.total_reserved = 2 * allocated;
    fields.total_active = active;
    fields.stream = stream;
    fields.device = 0;
    fields.component = strobe_mock_string(mock, component);
    TEST_ADD(mock, memory_event, 0, "", at_ns, at_ns, &fields);
}

static void add_usage(StrobeMockHost *mock, const char *whom, int64_t at_ns, int64_t hbm)
{
    TEST_FIELDS(memory_usage, fields);
    fields.ddr = 1;
    fields.hbm = hbm;
    fields.device = 0;
    TEST_ADD(mock, memory_usage, 0, whom, at_ns, at_ns, &fields);
}

static const struct strobe_memory_total *expect_total(StrobeMockHost *mock, size_t i,
                                                      const char *name, int64_t at_ns,
                                                      int64_t allocated, int64_t reserved,
                                                      int64_t active)
{
    const StrobeView *views;
    const struct strobe_memory_total *fields;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    fields = views[i].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[i].name), ==, name);
    g_assert_cmpint(views[i].begin_ns, ==, at_ns);
    g_assert_cmpint(fields->allocated, ==, allocated);
    g_assert_cmpint(fields->reserved, ==, reserved);
    g_assert_cmpint(fields->active, ==, active);
    g_assert_cmpint(fields->device, ==, 0);
    return fields;
}

/* The rows of the program come first. A sum follows each row of PTA and GE; at equal times PTA
 * precedes GE. A workspace has no sum, and is part of no sum. */
static void test_sums(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_event(mock, "PTA", 100, 0, 10, 11, 77);
    add_usage(mock, "app", 150, 500);
    add_usage(mock, "device", 150, 900);
    add_event(mock, "GE", 200, 0, 3, STROBE_ABSENT_I64, STROBE_ABSENT_U64);
    add_event(mock, "PTA", 200, 1, 8, 9, 78);
    add_event(mock, "WORKSPACE", 300, 0, 1000, 1000, 79);
    add_event(mock, "CPU", 350, 0, 7, 7, 0); /* memory of the host belongs to no device */
    add_event(mock, "GE", 400, 1, 0, STROBE_ABSENT_I64, STROBE_ABSENT_U64);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 10);
    expect_total(mock, 0, "APP", 150, STROBE_ABSENT_I64, 501, STROBE_ABSENT_I64);
    expect_total(mock, 1, "PTA", 100, 10, 20, 11);
    expect_total(mock, 2, "PTA+GE", 100, 10, 20, 11);
    expect_total(mock, 3, "PTA", 200, 8, 16, 9);
    expect_total(mock, 4, "PTA+GE", 200, 8, 16, 9);
    g_assert_cmpuint(expect_total(mock, 5, "GE", 200, 3, 6, STROBE_ABSENT_I64)->stream, ==,
                     STROBE_ABSENT_U64);
    g_assert_cmpuint(expect_total(mock, 6, "PTA+GE", 200, 11, 22, 9)->stream, ==, 78);
    expect_total(mock, 7, "WORKSPACE", 300, 1000, 2000, 1000);
    expect_total(mock, 8, "GE", 400, 0, 0, STROBE_ABSENT_I64);
    expect_total(mock, 9, "PTA+GE", 400, 8, 16, 9);
    strobe_mock_free(mock);
}

/* A state and the event that caused it become one row, even if there are several of them. An event
 * without totals has no row. */
static void test_reported_twice(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_event(mock, "PTA", 100, 0, 10, 10, 1);
    add_event(mock, "PTA", 100, 3, 10, 10, 1);
    add_event(mock, "PTA", 200, 3, 12, 12, 1);
    add_event(mock, "PTA", 200, 3, 11, 11, 1);
    add_event(mock, "PTA", 200, 1, 11, 11, 1);
    add_event(mock, "GE", 200, 0, 5, STROBE_ABSENT_I64, STROBE_ABSENT_U64);
    TEST_FIELDS(memory_event, bare);
    TEST_ADD(mock, memory_event, 0, "", 300, 300, &bare);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 8);
    expect_total(mock, 0, "PTA", 100, 10, 20, 10);
    expect_total(mock, 2, "PTA", 200, 12, 24, 12);
    expect_total(mock, 4, "PTA", 200, 11, 22, 11);
    expect_total(mock, 6, "GE", 200, 5, 10, STROBE_ABSENT_I64);
    expect_total(mock, 7, "PTA+GE", 200, 16, 32, 11);
    strobe_mock_free(mock);
}

/* The memory of the framework on the host is not added to that of the device's allocator. */
static void test_host(void)
{
    StrobeMockHost *mock = test_device_host(1);
    const StrobeView *views;
    const struct strobe_memory_total *total;

    TEST_FIELDS(memory_event, fields);
    fields.total_allocated = 64;
    fields.device = -1;
    fields.component = strobe_mock_string(mock, "PTA");
    TEST_ADD(mock, memory_event, 0, "", 100, 100, &fields);
    add_event(mock, "GE", 200, 0, 3, STROBE_ABSENT_I64, STROBE_ABSENT_U64);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, &views), ==, 3);
    total = views[0].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[0].name), ==, "PTA");
    g_assert_cmpint(total->allocated, ==, 64);
    g_assert_cmpint(total->reserved, ==, STROBE_ABSENT_I64);
    g_assert_cmpuint(total->stream, ==, STROBE_ABSENT_U64);
    g_assert_cmpint(total->device, ==, -1);
    expect_total(mock, 2, "PTA+GE", 200, 3, 6, STROBE_ABSENT_I64);
    strobe_mock_free(mock);
}

/* Rows are sorted by time, whichever thread's records come first. */
static void test_order(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_event(mock, "PTA", 300, 0, 30, 30, 1);
    add_event(mock, "PTA", 100, 0, 10, 10, 1);
    add_event(mock, "GE", 200, 0, 5, STROBE_ABSENT_I64, STROBE_ABSENT_U64);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_total(mock, 0, "PTA", 100, 10, 20, 10);
    expect_total(mock, 3, "PTA+GE", 200, 15, 30, 10);
    expect_total(mock, 5, "PTA+GE", 300, 35, 70, 30);
    strobe_mock_free(mock);
}

/* A sum that does not fit in 64 bits is absent. */
static void test_overflow(void)
{
    StrobeMockHost *mock = test_device_host(1);

    add_event(mock, "PTA", 1, 0, INT64_MAX / 2, INT64_MAX, 1);
    add_event(mock, "GE", 2, 0, INT64_MAX / 2, 1, 1);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_total(mock, 3, "PTA+GE", 2, INT64_MAX - 1, STROBE_ABSENT_I64, STROBE_ABSENT_I64);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/memory-total/sums", test_sums);
    g_test_add_func("/memory-total/told-twice", test_reported_twice);
    g_test_add_func("/memory-total/host", test_host);
    g_test_add_func("/memory-total/order", test_order);
    g_test_add_func("/memory-total/overflow", test_overflow);
    return g_test_run();
}
