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

/* ---- what is long ---- */

static int score_of(Fixture *f, const char *begin, const char *end)
{
    g_autofree char *long_text = g_strnfill(STROBE_SOURCE_HEAD, 'x');
    g_autofree char *text = g_strconcat(begin, long_text, end, NULL);

    g_assert_true(g_file_set_contents(f->path, text, -1, NULL));
    return strobe_mock_importer_probe(f->mock, f->path).score;
}

/* The first event, or what stands before it, goes beyond what a probe is shown. */
static void test_long_begin(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(score_of(f, "[{\"name\": \"", "\", \"ph\": \"i\", \"pid\": 1, \"ts\": 1}]"), ==,
                    80);
    g_assert_cmpint(score_of(f, "{\"about\": \"", "\", \"traceEvents\": [{\"ph\": \"i\"}]}"), ==,
                    80);
    g_assert_cmpint(score_of(f, "[{\"name\": \"", "\", \"pid\": 1}]"), ==, 0);
    g_assert_cmpint(score_of(f, "{\"about\": \"", "\", \"traceEvents\": 7}"), ==, 0);
    g_assert_cmpint(score_of(f, "[\"", "\", {\"ph\": \"i\", \"pid\": 1}]"), ==, 0);
    g_assert_cmpint(score_of(f, "[{\"name\": \"", ""), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("odd-numbers-inside", test_odd_numbers_inside);
    TEST("long-begin", test_long_begin);
    return g_test_run();
}
