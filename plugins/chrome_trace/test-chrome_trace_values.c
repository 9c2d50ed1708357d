/* SPDX-License-Identifier: Apache-2.0 */
/* Imports values that are not JSON, times before zero, long events, and spans with equal times. */
#include "test-trace-fixture.h"

#include <math.h>

/* NaN and inf inside lists and objects are stored as texts, as outside of them. The same words
 * inside a text are not changed. */
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

/* ---- times before zero ---- */

#define SPAN(name_, ts_, dur_)                                                                     \
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"" name_ "\", \"pid\": 1, \"tid\": 1, " \
    "\"ts\": " ts_ ", \"dur\": " dur_ "}"

static void check_times(const StrobeMockImported *record, gint64 begin, gint64 end)
{
    g_assert_cmpint(record->begin_ns, ==, begin);
    g_assert_cmpint(record->end_ns, ==, end);
}

static void test_times_before_zero(Fixture *f, gconstpointer unused)
{
    import(f, "[" SPAN("a", "-2", "5.0001") "," SPAN(
                  "b", "-9", "4") ", {\"ph\": \"B\", \"name\": "
                                  "\"c\", \"pid\": 1, \"tid\": 2, \"ts\": -1}, {\"ph\": \"E\", "
                                  "\"pid\": 1, \"tid\": 2, "
                                  "\"ts\": 3}]");
    check_times(nth(f, "api_call", 0), 0, 3000);
    g_assert_true(isnan(strobe_mock_importer_double(f->mock, nth(f, "api_call", 0), "exact_us")));
    check_times(nth(f, "api_call", 1), 0, 0);
    check_times(only(f, "chrome_trace.span"), 0, 3000);
    g_assert_true(is_damaged(f, "a time before zero"));
}

/* A time before the base time is not damage, and neither is a second base time that is equal to the
 * first. */
static void test_times_before_base(Fixture *f, gconstpointer unused)
{
    import(f, "{\"baseTimeNanoseconds\": 1700000000123456789, \"traceEvents\": [" SPAN(
                  "a", "-2.5", "5") "], \"baseTimeNanoseconds\": 1700000000123456789}");
    check_times(only(f, "api_call"), 1700000000123454289, 1700000000123459289);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

/* VizTracer's traces have the base time in viztracer_metadata; a base time of the outermost object
 * takes precedence. */
static void test_base_of_viztracer(Fixture *f, gconstpointer unused)
{
    static const char member[] = "\"viztracer_metadata\": {\"version\": \"1.1\", \"a\": "
                                 "{\"baseTimeNanoseconds\": 1}, \"baseTimeNanoseconds\": "
                                 "1700000000123456789}";
    static const char other[] = "\"baseTimeNanoseconds\": 1600000000000000000";
    static const char events[] = "\"traceEvents\": [" SPAN("a", "2.5", "5") "]";
    const struct {
        const char *parts[3];
        gint64 begin;
    } files[] = {
        {{events, member, "\"b\": 1"}, 1700000000123459289},
        {{member, events, "\"b\": 1"}, 1700000000123459289},
        {{events, member, other}, 1600000000000002500},
        {{other, member, events}, 1600000000000002500},
    };

    for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
        const char *const *parts = files[i].parts;
        g_autofree char *text = g_strdup_printf("{%s, %s, %s}", parts[0], parts[1], parts[2]);

        import(f, text);
        g_assert_cmpint(only(f, "api_call")->begin_ns, ==, files[i].begin);
        g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
        tear_down(f, unused);
        set_up(f, unused);
    }
}

/* ---- long events ---- */

static int score_of(Fixture *f, const char *begin, const char *end)
{
    g_autofree char *long_text = g_strnfill(STROBE_SOURCE_HEAD, 'x');
    g_autofree char *text = g_strconcat(begin, long_text, end, NULL);

    g_assert_true(g_file_set_contents(f->path, text, -1, NULL));
    return strobe_mock_importer_probe(f->mock, f->path).score;
}

/* The first event, or a member before the events, is longer than the part of the file that probe
 * reads. */
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

/* ---- spans with equal times ---- */

#define EQUAL(category_, name_, dur_)                                                              \
    "{\"ph\": \"X\", \"cat\": \"" category_ "\", \"name\": \"" name_                               \
    "\", \"pid\": 7, \"tid\": 8, \"ts\": 5, \"dur\": " dur_ ", \"args\": {\"External id\": 5}}"

static void check_order(Fixture *f, const char *kind, const char *const *names)
{
    guint n = 0;

    for (; names[n]; n++)
        check_name(f, nth(f, kind, n), names[n]);
    g_assert_null(nth(f, kind, n));
}

/* Among spans with equal times, the inner ones follow the outer ones in the file. The records of
 * the inner spans come first, because these end first. */
static void test_equal_spans(Fixture *f, gconstpointer unused)
{
    static const char *const operators[] = {"c", "b", "a", "later", NULL};
    static const char *const spans[] = {"e", "d", "begun", NULL};

    import(
        f,
        "[{\"ph\": \"B\", \"name\": \"begun\", \"pid\": 7, \"tid\": 8, \"ts\": 5}"
        "," EQUAL("cpu_op", "a", "1") "," EQUAL("novel", "d", "1") "," EQUAL(
            "cpu_op", "b",
            "1") ", {\"ph\": \"X\", \"name\": \"other\", \"cat\": \"cpu_op_\", "
                 "\"pid\": 7, \"tid\": 9, \"ts\": 5, \"dur\": 2}, {\"ph\": \"C\", \"name\": \"x\", "
                 "\"ts\": 5, \"args\": {}}," EQUAL("cpu_op", "c", "1") "," EQUAL(
                     "novel", "e",
                     "1") ", {\"ph\": \"E\", \"pid\": 7, \"tid\": 8, \"ts\": 6}," EQUAL("cpu_op",
                                                                                        "later",
                                                                                        "3") "]");
    check_order(f, "cpu_op", operators);
    check_name(f, nth(f, "chrome_trace.span", 3), "other");
    for (guint i = 0; spans[i]; i++)
        check_name(f, nth(f, "chrome_trace.span", i), spans[i]);
    for (guint i = 0; i < 4; i++)
        g_assert_cmpint(integer(f, nth(f, "cpu_op", i), "chrome_trace.external_id"), ==, 5);
    g_assert_cmpint(integer(f, nth(f, "cpu_op", 0), "sequence"), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("odd-numbers-inside", test_odd_numbers_inside);
    TEST("times-before-zero", test_times_before_zero);
    TEST("times-before-base", test_times_before_base);
    TEST("base-of-viztracer", test_base_of_viztracer);
    TEST("long-begin", test_long_begin);
    TEST("equal-spans", test_equal_spans);
    return g_test_run();
}
