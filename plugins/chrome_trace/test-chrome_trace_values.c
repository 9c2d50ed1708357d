/* SPDX-License-Identifier: Apache-2.0 */
/* Values that are no JSON, or hardly fit. */
#include "test-fixture.h"

/* As at top level; what only looks so inside of texts stays. */
static void test_odd_numbers_inside(Fixture *f, gconstpointer unused)
{
    import(f, "[{\"ph\": \"I\", \"name\": \"a\", \"ts\": 1, \"args\": {\"a\": [1, NaN, [-Infinity, "
              "\"nan, \\\"inf\"]], \"b\": {\"inf\": inf, \"c\": [nan], \"d\": null}, \"e\": 2}}, "
              "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"o\", \"ts\": 2, \"dur\": 1, "
              "\"args\": {\"Input Dims\": [[NaN]], \"Input Strides\": [[1, NaN]]}}, "
              "{\"ph\": \"I\", \"name\": \"b\", \"ts\": 2, \"args\": {\"a\": [Nan]}}]");
    check_text(f, only(f, "chrome_trace.event"), "arguments",
               "{\"a\": [1, \"NaN\", [\"-Infinity\", \"nan, \\\"inf\"]], "
               "\"b\": {\"inf\": \"inf\", \"c\": [\"nan\"], \"d\": null}, \"e\": 2}");
    check_text(f, only(f, "cpu_op"), "chrome_trace.arguments", "{\"Input Dims\": [[\"NaN\"]]}");
    check_text(f, only(f, "cpu_op"), "chrome_trace.strides", "[[1, \"NaN\"]]");
    g_assert_true(is_damaged(f, "expected a value"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("odd-numbers-inside", test_odd_numbers_inside);
    return g_test_run();
}
