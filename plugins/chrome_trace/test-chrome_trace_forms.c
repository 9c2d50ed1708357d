/* SPDX-License-Identifier: Apache-2.0 */
/* Imports each phase of events, traces that are arrays or objects, and damaged traces. */
#include "test-trace-fixture.h"

#include <string.h>

/* ---- phases ---- */

static void test_begin_and_end(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *inner, *outer;

    import(f, "[{\"ph\": \"B\", \"name\": \"outer\", \"cat\": \"c\", \"pid\": 1, \"tid\": 2, "
              "\"ts\": 1, \"args\": {\"a\": 1}}, {\"ph\": \"B\", \"name\": \"inner\", \"pid\": 1, "
              "\"tid\": 2, \"ts\": 2}, {\"ph\": \"B\", \"name\": \"else\", \"pid\": 1, "
              "\"tid\": 3, \"ts\": 2}, {\"ph\": \"E\", \"pid\": 1, \"tid\": 2, \"ts\": 3}, "
              "{\"ph\": \"E\", \"pid\": 1, \"tid\": 2, \"ts\": 4, \"args\": {\"b\": 2}}, "
              "{\"ph\": \"E\", \"pid\": 1, \"tid\": 2, \"ts\": 5}]");
    inner = nth(f, "chrome_trace.span", 0);
    outer = nth(f, "chrome_trace.span", 1);
    check_name(f, inner, "inner");
    check_name(f, outer, "outer");
    g_assert_cmpint(outer->end_ns, ==, 4000);
    check_text(f, outer, "arguments", "{\"a\": 1, \"b\": 2}");
    check_text(f, outer, "category", "c");
    check_text(f, outer, "phase", "B");
    check_name(f, nth(f, "chrome_trace.span", 2), "else");
    g_assert_cmpint(integer(f, nth(f, "chrome_trace.span", 2), "unfinished"), ==, 1);
    g_assert_cmpint(nth(f, "chrome_trace.span", 2)->end_ns, ==, 5000);
    g_assert_true(is_damaged(f, "an end of a span that never began"));
    g_assert_true(is_damaged(f, "1 spans never end"));
}

static void test_async(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *span;

    import(f, "[{\"ph\": \"b\", \"name\": \"n\", \"cat\": \"c\", \"id\": \"0x1\", \"pid\": 1, "
              "\"tid\": 2, \"ts\": 1}, {\"ph\": \"b\", \"name\": \"n\", \"cat\": \"c\", "
              "\"id\": \"0x2\", \"pid\": 1, \"tid\": 2, \"ts\": 2}, {\"ph\": \"e\", \"name\": "
              "\"n\", \"cat\": \"c\", \"id\": \"0x1\", \"pid\": 1, \"tid\": 3, \"ts\": 3}, "
              "{\"ph\": \"e\", \"name\": \"n\", \"cat\": \"c\", \"id\": \"0x2\", \"pid\": 1, "
              "\"tid\": 3, \"ts\": 5}, {\"ph\": \"n\", \"name\": \"n\", \"cat\": \"c\", "
              "\"id\": \"0x2\", \"pid\": 1, \"tid\": 3, \"ts\": 5}, {\"ph\": \"e\", \"name\": "
              "\"n\", \"cat\": \"c\", \"id\": \"0x2\", \"pid\": 1, \"tid\": 3, \"ts\": 6}]");
    span = nth(f, "chrome_trace.span", 0);
    g_assert_cmpint(span->begin_ns, ==, 1000);
    g_assert_cmpint(span->end_ns, ==, 3000);
    check_text(f, span, "id", "0x1");
    check_track(f, span, STROBE_TRACK_THREAD, -1, 2, 1);
    g_assert_cmpint(nth(f, "chrome_trace.span", 1)->begin_ns, ==, 2000);
    check_text(f, only(f, "chrome_trace.event"), "phase", "n");
    g_assert_true(is_damaged(f, "an end of a span that never began"));
}

#define AT(tid_) "{\"ph\": \"X\", \"name\": \"n\", \"pid\": 1, \"tid\": " tid_ ", \"ts\": 1}"

/* Thread 7 and "stream 7" are two tracks, in whatever order their events come. A thread's number
 * may be written as a text. */
static void test_thread_and_stream_of_one_number(Fixture *f, gconstpointer unused)
{
    const StrobeTrack *track;

    import(f, "[" AT("\"stream 7\"") "," AT("7") "," AT("\"7\"") "," AT("\"stream 8\"") "]");
    track = strobe_mock_importer_track(f->mock, nth(f, "chrome_trace.span", 0)->track, NULL);
    g_assert_cmpstr(track->name, ==, "stream 7");
    g_assert_cmpuint(track->id, >, G_MAXUINT32);
    check_track(f, nth(f, "chrome_trace.span", 1), STROBE_TRACK_THREAD, -1, 7, 1);
    check_track(f, nth(f, "chrome_trace.span", 2), STROBE_TRACK_THREAD, -1, 7, 1);
    check_track(f, nth(f, "chrome_trace.span", 3), STROBE_TRACK_THREAD, -1, 8, 1);
}

static guint64 n_compared;

/* Replaces GLib's function, to count its calls. */
gboolean(g_str_equal)(gconstpointer a, gconstpointer b)
{
    n_compared++;
    return !strcmp(a, b);
}

/* All these ids have the same hash in GLib's function. The spans never end; their records are
 * sorted by their begins, latest first. */
static void test_hostile_ids(Fixture *f, gconstpointer unused)
{
    const guint n = 4096;
    g_autoptr(GString) text = g_string_new("[");

    for (guint i = 0; i < n; i++) {
        g_string_append_printf(text, "%s{\"ph\": \"b\", \"name\": \"n\", \"ts\": %u, \"id\": \"",
                               i ? "," : "", i);
        for (guint bit = 1; bit < n; bit *= 2)
            g_string_append(text, i & bit ? "Ez" : "FY");
        g_string_append(text, "\"}");
    }
    g_string_append_c(text, ']');
    n_compared = 0;
    import(f, text->str);
    g_assert_cmpuint(n_compared, <, 16 * n);
    g_assert_true(is_damaged(f, "4096 spans never end"));
    for (guint i = 0; i < n; i++)
        g_assert_cmpint(nth(f, "chrome_trace.span", i)->begin_ns, ==, (n - 1 - i) * 1000);
}

/* A tracer may write one thread after another, so an end may precede its begin in the file. */
static void test_async_in_any_order(Fixture *f, gconstpointer unused)
{
    import(f, "[{\"ph\": \"e\", \"name\": \"n\", \"cat\": \"c\", \"id\": 1, \"pid\": 1, "
              "\"tid\": 3, \"ts\": 9, \"args\": {\"b\": 2}}, {\"ph\": \"e\", \"name\": \"n\", "
              "\"cat\": \"c\", \"id\": 1, \"pid\": 1, \"tid\": 3, \"ts\": 3}, {\"ph\": \"b\", "
              "\"name\": \"n\", \"cat\": \"c\", \"id\": 1, \"pid\": 1, \"tid\": 2, \"ts\": 5, "
              "\"args\": {\"a\": 1}}]");
    g_assert_cmpint(only(f, "chrome_trace.span")->begin_ns, ==, 5000);
    g_assert_cmpint(only(f, "chrome_trace.span")->end_ns, ==, 9000);
    check_text(f, only(f, "chrome_trace.span"), "arguments", "{\"a\": 1, \"b\": 2}");
    g_assert_true(is_damaged(f, "an end of a span that never began"));
    g_assert_false(is_damaged(f, "never end"));
}

/* Two spans have the same id. In the file their two begins precede their two ends. */
static void test_async_again(Fixture *f, gconstpointer unused)
{
#define AGAIN(phase_, ts_)                                                                         \
    "{\"ph\": \"" phase_                                                                           \
    "\", \"name\": \"n\", \"cat\": \"c\", \"id\": 1, \"pid\": 1, \"tid\": 1, "                     \
    "\"ts\": " ts_ "}"

    import(f,
           "[" AGAIN("b", "1") "," AGAIN("b", "10") "," AGAIN("e", "7") "," AGAIN("e", "12") "]");
    g_assert_cmpint(nth(f, "chrome_trace.span", 0)->begin_ns, ==, 1000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 0)->end_ns, ==, 7000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 1)->begin_ns, ==, 10000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 1)->end_ns, ==, 12000);
    g_assert_false(is_damaged(f, "an end of a span that never began"));
}

/* Two processes may have the same local id. */
static void test_local_ids(Fixture *f, gconstpointer unused)
{
#define LOCAL(phase_, pid_, ts_)                                                                   \
    "{\"ph\": \"" phase_ "\", \"name\": \"n\", \"cat\": \"c\", \"id2\": {\"local\": \"0x1\"}, "    \
    "\"pid\": " pid_ ", \"tid\": 1, \"ts\": " ts_ "}"

    import(f, "[" LOCAL("b", "1", "1") "," LOCAL("b", "2", "2") "," LOCAL("e", "1", "3") "," LOCAL(
                  "e", "2", "9") "]");
    g_assert_cmpint(nth(f, "chrome_trace.span", 0)->begin_ns, ==, 1000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 0)->end_ns, ==, 3000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 1)->begin_ns, ==, 2000);
    g_assert_cmpint(nth(f, "chrome_trace.span", 1)->end_ns, ==, 9000);
}

static void test_too_much_is_under_way(Fixture *f, gconstpointer unused)
{
    g_autofree char *filler = g_strnfill(10000000, 'y');
    g_autoptr(GString) text = g_string_new("[");

    for (guint i = 0; i < 5; i++)
        g_string_append_printf(text,
                               "{\"ph\": \"B\", \"name\": \"n\", \"ts\": %u, \"args\": "
                               "{\"a\": \"%s\"}},",
                               i, filler);
    g_string_append(text, "{\"ph\": \"E\", \"ts\": 9}, {\"ph\": \"E\", \"ts\": 9}, {\"ph\": "
                          "\"B\", \"name\": \"last\", \"ts\": 10, \"args\": {\"a\": 1}}, "
                          "{\"ph\": \"E\", \"ts\": 11}]");
    import(f, text->str);
    g_assert_true(is_damaged(f, "too many spans are open"));
    g_assert_cmpint(nth(f, "chrome_trace.span", 0)->begin_ns, ==, 2000);
    check_text(f, nth(f, "chrome_trace.span", 2), "arguments", "{\"a\": 1}");
}

static void test_counters_and_flows(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *flow;

    import(f, "[{\"ph\": \"C\", \"name\": \"heap\", \"pid\": 1, \"ts\": 1, \"args\": {\"used\": "
              "5, \"free\": 2.5, \"bad\": []}}, {\"ph\": \"s\", \"cat\": \"c\", \"id\": 7, "
              "\"name\": \"n\", \"pid\": 1, \"tid\": 1, \"ts\": 1}, {\"ph\": \"t\", \"cat\": "
              "\"c\", \"id\": 7, \"name\": \"n\", \"pid\": 1, \"tid\": 1, \"ts\": 2}, {\"ph\": "
              "\"f\", \"cat\": \"c\", \"id\": \"seven\", \"name\": \"n\", \"pid\": 1, \"tid\": 1, "
              "\"ts\": 3, \"bp\": \"e\"}]");
    check_text(f, nth(f, "counter", 0), "chrome_trace.series", "used");
    g_assert_cmpfloat(strobe_mock_importer_double(f->mock, nth(f, "counter", 1), "value"), ==, 2.5);
    g_assert_null(nth(f, "counter", 2));
    g_assert_true(is_damaged(f, "the value of a counter is not a number"));
    g_assert_cmpint(integer(f, nth(f, "chrome_trace.flow", 0), "number"), ==, 7);
    g_assert_cmpint(integer(f, nth(f, "chrome_trace.flow", 1), "phase"), ==, 1);
    flow = nth(f, "chrome_trace.flow", 2);
    check_text(f, flow, "id", "seven");
    g_assert_cmpint(integer(f, flow, "phase"), ==, 2);
    g_assert_cmpint(integer(f, flow, "is_enclosing"), ==, 1);
}

static void test_other_phases(Fixture *f, gconstpointer unused)
{
    const StrobeMockImported *event;

    import(f, "[{\"ph\": \"I\", \"name\": \"moment\", \"s\": \"g\", \"cat\": \"c\", \"pid\": "
              "\"Traces\", \"tid\": \"a b\", \"ts\": 1, \"args\": {\"x\": 1}}, {\"ph\": \"Q\", "
              "\"name\": \"odd\", \"pid\": 1, \"tid\": 1, \"ts\": 2, \"dur\": 0.5}, {\"ph\": "
              "\"X\", \"cat\": \"kernel\", \"name\": \"syscall\", \"pid\": 1, \"tid\": 1, "
              "\"ts\": 2, \"dur\": 0.5}]");
    event = nth(f, "chrome_trace.event", 0);
    check_text(f, event, "scope", "g");
    check_text(f, event, "arguments", "{\"x\": 1}");
    g_assert_cmpstr(strobe_mock_importer_track(f->mock, event->track, NULL)->group, ==, "Traces");
    g_assert_cmpstr(strobe_mock_importer_track(f->mock, event->track, NULL)->name, ==, "a b");
    event = nth(f, "chrome_trace.event", 1);
    check_text(f, event, "phase", "Q");
    g_assert_cmpfloat(strobe_mock_importer_double(f->mock, event, "duration"), ==, 0.5);
    g_assert_nonnull(strstr(strobe_mock_importer_unknown(f->mock), "phase \"Q\""));
    /* the category "kernel" is not Kineto's */
    check_text(f, only(f, "chrome_trace.span"), "category", "kernel");
}

/* ---- forms and damage ---- */

#define GOOD(name_)                                                                                \
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"" name_ "\", \"pid\": 1, \"tid\": \"" name_  \
    "\", \"ts\": 1, \"dur\": 1}"

static guint n_operators(Fixture *f)
{
    guint n = 0;

    while (nth(f, "cpu_op", n))
        n++;
    return n;
}

static void test_array_without_its_end(Fixture *f, gconstpointer unused)
{
    import(f, "[" GOOD("a") ",\n" GOOD("b") ",\n");
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_object_without_its_end(Fixture *f, gconstpointer unused)
{
    import(f, "{\"traceEvents\": [" GOOD("a") ",\n" GOOD("b"));
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_true(is_damaged(f, "the file ends inside of traceEvents"));
}

static void test_cut_event(Fixture *f, gconstpointer unused)
{
    import(f, "[" GOOD("a") ",\n{\"ph\": \"X\", \"na");
    g_assert_cmpuint(n_operators(f), ==, 1);
    g_assert_true(is_damaged(f, "the file ends too early"));
}

static void test_damage(Fixture *f, gconstpointer unused)
{
    g_autofree char *place = NULL;

    import(f, "[" GOOD("a") ", {\"ph\": \"X\", \"ts\": nonsense}, " GOOD("b") ", 5, " GOOD(
                  "c") ", {\"ph\": \"X\", \"name\": \"d\"}, {\"ph\": \"X\", "
                       "\"ts\": \"x\"}, " GOOD("e") " " GOOD("f") "]");
    /* The reader continues after a brace and a comma: it reads b, but not c, which follows the
     * 5. */
    place = g_strdup_printf("offset %d: expected a value",
                            (int)strlen("[" GOOD("a") ", {\"ph\": \"X\", \"ts\": "));
    g_assert_true(is_damaged(f, place));
    g_assert_true(is_damaged(f, "expected an event"));
    g_assert_true(is_damaged(f, "an event without a phase or a time"));
    g_assert_true(is_damaged(f, "expected a comma or the end of the events"));
    check_name(f, nth(f, "cpu_op", 1), "b");
    check_name(f, nth(f, "cpu_op", 2), "e");
}

static void test_times(Fixture *f, gconstpointer unused)
{
    import(f, "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"ts\": \"1.0005\", "
              "\"dur\": 1e3}, {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"b\", \"ts\": "
              "1695835542514261, \"dur\": -1}, {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
              "\"c\", \"ts\": -5, \"dur\": 1}, {\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": "
              "\"d\", \"ts\": 99999999999999999999, \"dur\": 1}]");
    g_assert_cmpint(nth(f, "cpu_op", 0)->begin_ns, ==, 1001);
    g_assert_cmpint(nth(f, "cpu_op", 0)->end_ns, ==, 1001001);
    g_assert_cmpint(nth(f, "cpu_op", 1)->begin_ns, ==, 1695835542514261000);
    g_assert_cmpint(nth(f, "cpu_op", 1)->end_ns, ==, 1695835542514261000);
    g_assert_cmpint(nth(f, "cpu_op", 2)->begin_ns, ==, 0);
    g_assert_null(nth(f, "cpu_op", 3));
    g_assert_true(is_damaged(f, "a duration that is out of range"));
    g_assert_true(is_damaged(f, "a time before zero"));
    g_assert_true(is_damaged(f, "an event without a phase or a time"));
}

/* Some values are not JSON: Kineto wrote bandwidths of inf, and Python writes NaN. */
static void test_numbers_that_are_none(Fixture *f, gconstpointer unused)
{
    import(f, "[{\"ph\": \"I\", \"name\": \"a\", \"ts\": 1, \"args\": {\"a\": NaN, \"b\": -inf, "
              "\"c\": Infinity, \"d\": nan}}, {\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": "
              "\"m\", \"pid\": 0, \"tid\": 7, \"ts\": 1, \"dur\": 0, \"args\": {\"stream\": 7, "
              "\"memory bandwidth (GB/s)\": inf}}, {\"ph\": \"I\", \"name\": \"b\", \"ts\": 2, "
              "\"args\": {\"a\": Nan}}]");
    check_text(f, nth(f, "chrome_trace.event", 0), "arguments",
               "{\"a\": \"NaN\", \"b\": \"-inf\", \"c\": \"Infinity\", \"d\": \"nan\"}");
    check_text(f, only(f, "device_task"), "chrome_trace.arguments",
               "{\"memory bandwidth (GB/s)\": \"inf\"}");
    g_assert_null(nth(f, "chrome_trace.event", 1));
    g_assert_true(is_damaged(f, "expected a value"));
}

/* A value that does not fit in its field is stored as a text among the arguments. */
static void test_values_that_do_not_fit(Fixture *f, gconstpointer unused)
{
    import(f,
           "[{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"a\", \"ts\": 1, \"dur\": 1, "
           "\"args\": {\"External id\": 1.5, \"Ev Idx\": 2.0}}, {\"ph\": \"s\", \"name\": \"n\", "
           "\"id\": 18446744073709551615, \"ts\": 1}]");
    check_text(f, only(f, "cpu_op"), "chrome_trace.arguments", "{\"External id\": 1.5}");
    g_assert_cmpint(integer(f, only(f, "cpu_op"), "chrome_trace.event_index"), ==, 2);
    check_text(f, only(f, "chrome_trace.flow"), "id", "18446744073709551615");
}

static void test_many_arguments(Fixture *f, gconstpointer unused)
{
    g_autoptr(GString) text = g_string_new("[{\"ph\": \"C\", \"ts\": 1, \"args\": {");

    for (guint i = 0; i < 255; i++)
        g_string_append_printf(text, "%s\"%u\": 1", i ? ", " : "", i);
    g_string_append(text, "}}, ");
    g_string_append_len(text, text->str + 1, (gssize)text->len - 5);
    g_string_append(text, ", \"255\": 1, \"256\": 1}}]");
    import(f, text->str);
    g_assert_cmpuint(strobe_mock_importer_n_records(f->mock), ==, 2 * 255);
    g_assert_true(is_damaged(f, "arguments beyond the first 255 are left out"));
    g_assert_false(is_damaged(f, "offset 1:"));
}

static void test_behind_the_end(Fixture *f, gconstpointer unused)
{
    import(f, "[" GOOD("a") "]\n[" GOOD("b") "]");
    g_assert_cmpuint(n_operators(f), ==, 1);
    g_assert_true(is_damaged(f, "text after the end of the trace is left out"));
}

static void test_behind_the_object(Fixture *f, gconstpointer unused)
{
    import(f, "{\"traceEvents\": [" GOOD("a") "]} \n x");
    g_assert_true(is_damaged(f, "text after the end of the trace is left out"));
}

static void test_texts(Fixture *f, gconstpointer unused)
{
    import(f, "[" GOOD("\\u00e4\\\"\\ud83d\\ude00\\n") "," GOOD("raw \xc3\xa4 \xff") "]");
    check_name(f, nth(f, "cpu_op", 0), "\xc3\xa4\"\xf0\x9f\x98\x80\n");
    check_name(f, nth(f, "cpu_op", 1), "raw \xc3\xa4 \xff");
}

/* Some events cross the end of the reader's buffer, and one is larger than the buffer. */
static void test_buffers(Fixture *f, gconstpointer unused)
{
    g_autoptr(GString) text = g_string_new("[");
    g_autofree char *filler = g_strnfill(3000000, 'y');

    for (guint i = 0; i < 30000; i++)
        g_string_append_printf(
            text,
            "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"n%u\", \"pid\": 1, "
            "\"tid\": 1, \"ts\": %u, \"dur\": 1, \"args\": {\"novel\": \"%.*s\"}}",
            i ? "," : "", i, i, (int)(i * 7 % 100), filler);
    g_string_append_printf(
        text, ",{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"%s\", \"ts\": 5}]", filler);
    import(f, text->str);
    g_assert_cmpuint(n_operators(f), ==, 30001);
    for (guint i = 0; i < 30000; i += 997) {
        g_autofree char *name = g_strdup_printf("n%u", i);

        check_name(f, nth(f, "cpu_op", i), name);
    }
    g_assert_cmpuint(strlen(strobe_mock_importer_string(f->mock, nth(f, "cpu_op", 30000)->name)),
                     ==, 3000000);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
}

static void test_too_long(Fixture *f, gconstpointer unused)
{
    g_autofree char *filler = g_strnfill(40000000, 'y');
    g_autofree char *text = g_strconcat("[" GOOD("a") ", {\"ph\": \"X\", \"name\": \"", filler,
                                        "\"}, " GOOD("b") "]", NULL);

    import(f, text);
    g_assert_cmpuint(n_operators(f), ==, 2);
    g_assert_true(is_damaged(f, "expected something of less than 16 MiB"));
}

/* ---- events of known and unknown forms ---- */

#define ALIKE 3000

/* The blanks between the tokens of an event. They rarely change, so that forms of events occur
 * again. */
static const char *blank_of_event;

static const char *pick_blank(void)
{
    return g_test_rand_int_range(0, 50) ? blank_of_event : "\t";
}

/* Appends `"key": ` with random blanks. */
static void put_key(GString *out, const char *key)
{
    g_string_append_printf(out, "%s\"%s\"%s:%s", pick_blank(), key, pick_blank(), pick_blank());
}

/* Appends arguments to `out`. Appends to `reported` the text that the record must have for these
 * arguments; an empty object and an array have none. */
static void put_arguments(GString *out, GString *reported, gint number)
{
    static const char *const keys[] = {"a", "a ", "name", "ts", "args", "\\\"b\\\""};
    gint n = g_test_rand_int_range(0, 4);

    put_key(out, "args");
    if (n == 3) {
        g_string_append(out, "[{}]");
        return;
    }
    g_string_append_printf(out, "{%s", pick_blank());
    for (gint i = 0; i < n; i++) {
        const char *key = keys[g_test_rand_int_range(0, G_N_ELEMENTS(keys))];

        g_string_append(out, i ? "," : "");
        put_key(out, key);
        g_string_append_printf(out, "%d%s", number, pick_blank());
        g_string_append_printf(reported, "%s\"%s\": %d", i ? ", " : "{", key, number);
    }
    g_string_append_c(out, '}');
    g_string_append(reported, n ? "}" : "");
}

/* Appends an event, whose members have a random order. */
static void put_event(GString *out, GString *reported, gint number)
{
    static const char *const members[] = {"ph", "name", "ts", "x"};
    static const char *const blanks[] = {"", " ", "\n    "};
    gint first = g_test_rand_int_range(0, 2), args = g_test_rand_int_range(0, 8);

    blank_of_event = blanks[g_test_rand_int_range(0, G_N_ELEMENTS(blanks))];
    g_string_append_printf(out, "%s{", pick_blank());
    for (gint i = 0; i < 4; i++) {
        const char *member = members[(first + i) % 4];

        g_string_append(out, i ? "," : "");
        put_key(out, member);
        if (*member == 'p')
            g_string_append(out, "\"I\"");
        else if (*member == 'n')
            g_string_append_printf(out, "\"event %d\"", number);
        else
            g_string_append_printf(out, *member == 't' ? "%d" : "[%d, {\"y\": 1}]", number);
        g_string_append(out, pick_blank());
        if (i == args) {
            g_string_append_c(out, ',');
            put_arguments(out, reported, number);
        }
    }
    g_string_append_c(out, '}');
}

static void test_alike(Fixture *f, gconstpointer unused)
{
    g_autoptr(GString) text = g_string_new("[");
    g_autoptr(GPtrArray) reported = g_ptr_array_new_with_free_func(g_free);

    for (gint i = 0; i < ALIKE; i++) {
        GString *arguments = g_string_new(NULL);

        g_string_append(text, i ? "," : "");
        put_event(text, arguments, i);
        g_ptr_array_add(reported, g_string_free(arguments, FALSE));
    }
    g_string_append_c(text, ']');
    import(f, text->str);
    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    g_assert_cmpuint(strobe_mock_importer_n_records(f->mock), ==, ALIKE);
    for (gint i = 0; i < ALIKE; i++) {
        const StrobeMockImported *event = strobe_mock_importer_record(f->mock, (gsize)i);
        g_autofree char *name = g_strdup_printf("event %d", i);

        check_name(f, event, name);
        g_assert_cmpint(event->begin_ns, ==, (gint64)i * 1000);
        check_text(f, event, "arguments", reported->pdata[i]);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    TEST("begin-and-end", test_begin_and_end);
    TEST("async", test_async);
    TEST("thread-and-stream-of-one-number", test_thread_and_stream_of_one_number);
    TEST("hostile-ids", test_hostile_ids);
    TEST("async-in-any-order", test_async_in_any_order);
    TEST("async-again", test_async_again);
    TEST("local-ids", test_local_ids);
    TEST("too-much-is-under-way", test_too_much_is_under_way);
    TEST("counters-and-flows", test_counters_and_flows);
    TEST("other-phases", test_other_phases);
    TEST("array-without-its-end", test_array_without_its_end);
    TEST("object-without-its-end", test_object_without_its_end);
    TEST("cut-event", test_cut_event);
    TEST("damage", test_damage);
    TEST("times", test_times);
    TEST("numbers-that-are-none", test_numbers_that_are_none);
    TEST("values-that-do-not-fit", test_values_that_do_not_fit);
    TEST("many-arguments", test_many_arguments);
    TEST("behind-the-end", test_behind_the_end);
    TEST("behind-the-object", test_behind_the_object);
    TEST("texts", test_texts);
    TEST("buffers", test_buffers);
    TEST("too-long", test_too_long);
    TEST("alike", test_alike);
    return g_test_run();
}
