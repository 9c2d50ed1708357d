/* SPDX-License-Identifier: Apache-2.0 */
#include "function.h"

#include <glib.h>

#include "mock-consumer-host.h"

extern const StrobePlugin strobe_plugin_1;

static void add_sample(StrobeMockHost *mock, int64_t time, const char *const *frames)
{
    const struct strobe_cpu_sample sample = {.time = time,
                                             .stack = frames ? strobe_mock_stack(mock, frames) : 0};

    strobe_mock_add(mock, &strobe_kind_cpu_sample, 0, 0, 10, 10, &sample);
}

static void add_call(StrobeMockHost *mock, const char *name, int64_t begin, int64_t end)
{
    const struct strobe_python_call call = {.module = STROBE_ABSENT_I64};

    strobe_mock_add(mock, &strobe_kind_python_call, 1, strobe_mock_string(mock, name), begin, end,
                    &call);
}

static const struct strobe_function *expect_function(StrobeMockHost *mock, size_t i,
                                                     const char *name, int64_t self, int64_t total,
                                                     uint64_t count)
{
    const StrobeView *views;

    g_assert_cmpuint(strobe_mock_emitted(mock, &views), >, i);
    const struct strobe_function *function = views[i].fields;
    g_assert_cmpstr(strobe_mock_text(mock, views[i].name), ==, name);
    g_assert_cmpint(function->self, ==, self);
    g_assert_cmpint(function->total, ==, total);
    g_assert_cmpuint(function->count, ==, count);
    return function;
}

static StrobeMockHost *make_mock(void)
{
    return strobe_mock_new(strobe_plugin_1.components[0], -1);
}

static void test_samples(void)
{
    static const char *const hot[] = {"work (h) h.c:12", "main (h) h.c:30", NULL};
    static const char *const warm[] = {"work (h) h.c:14", "main (h) h.c:30", NULL};
    static const char *const other[] = {"main (h) h.c:31", NULL};
    StrobeMockHost *mock = make_mock();

    add_sample(mock, 100, warm);
    add_sample(mock, 600, hot);
    add_sample(mock, 200, other);
    add_sample(mock, 100, NULL);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    g_assert_cmpuint(strobe_mock_emitted(mock, NULL), ==, 3);
    const struct strobe_function *work = expect_function(mock, 0, "work (h)", 700, 700, 2);
    g_assert_cmpstr(strobe_mock_text(mock, work->location), ==, "h.c:12");
    g_assert_cmpstr(strobe_mock_text(mock, work->source), ==, "cpu_sample");
    g_assert_cmpfloat_with_epsilon(work->self_share, 70, 1e-9);
    g_assert_cmpint(work->self_bytes, ==, STROBE_ABSENT_I64);
    const struct strobe_function *entry = expect_function(mock, 1, "main (h)", 200, 900, 1);
    g_assert_cmpstr(strobe_mock_text(mock, entry->location), ==, "h.c:30");
    g_assert_cmpfloat_with_epsilon(entry->total_share, 90, 1e-9);
    expect_function(mock, 2, "(unknown)", 100, 100, 1);
    strobe_mock_free(mock);
}

/* A function that calls itself is counted only once in a stack. */
static void test_recursion(void)
{
    static const char *const deep[] = {"f (h) h.c:2", "g (h) h.c:7", "f (h) h.c:3", "f (h) h.c:3",
                                       NULL};
    StrobeMockHost *mock = make_mock();

    add_sample(mock, 10, deep);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    expect_function(mock, 0, "f (h)", 10, 10, 1);
    expect_function(mock, 1, "g (h)", 0, 10, 0);
    strobe_mock_free(mock);
}

static void test_calls(void)
{
    StrobeMockHost *mock = make_mock();

    add_call(mock, "a.py(9): fib", 120, 150);
    add_call(mock, "a.py(9): fib", 110, 180);
    add_call(mock, "a.py(1): main", 100, 300);
    add_call(mock, "a.py(9): fib", 400, 410);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    const struct strobe_function *entry = expect_function(mock, 0, "a.py(1): main", 130, 200, 1);
    g_assert_cmpstr(strobe_mock_text(mock, entry->location), ==, "a.py:1");
    g_assert_cmpstr(strobe_mock_text(mock, entry->source), ==, "python_call");
    expect_function(mock, 1, "a.py(9): fib", 80, 80, 3);
    strobe_mock_free(mock);
}

static void test_bytes(void)
{
    struct path {
        int64_t allocated_bytes, allocated_blocks;
        StrobeStackId stack;
    };
    static const StrobeField fields[] = {{"allocated_bytes", STROBE_FIELD_I64, 0, "B", ""},
                                         {"allocated_blocks", STROBE_FIELD_I64, 0, "", ""},
                                         {"stack", STROBE_FIELD_STACK, 0, "", ""}};
    static const StrobeKind kind = {
        sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "heap_path", "", fields, 3, 0};
    static const char *const frames[] = {"take (h) h.c:3", "main (h)", NULL};
    StrobeMockHost *mock = make_mock();
    const struct path path = {400, 4, strobe_mock_stack(mock, frames)};

    strobe_mock_derived_kind(mock, &kind);
    strobe_mock_add(mock, &kind, 0, 0, 10, 10, &path);
    g_assert_cmpint(strobe_mock_run(mock), ==, STROBE_OK);
    const struct strobe_function *take =
        expect_function(mock, 0, "take (h)", STROBE_ABSENT_I64, STROBE_ABSENT_I64, 4);
    g_assert_cmpint(take->self_bytes, ==, 400);
    g_assert_cmpstr(strobe_mock_text(mock, take->source), ==, "heap.block");
    const struct strobe_function *entry =
        expect_function(mock, 1, "main (h)", STROBE_ABSENT_I64, STROBE_ABSENT_I64, 0);
    g_assert_cmpint(entry->total_bytes, ==, 400);
    g_assert_cmpuint(entry->location, ==, 0);
    strobe_mock_free(mock);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/function/samples", test_samples);
    g_test_add_func("/function/recursion", test_recursion);
    g_test_add_func("/function/calls", test_calls);
    g_test_add_func("/function/bytes", test_bytes);
    return g_test_run();
}
