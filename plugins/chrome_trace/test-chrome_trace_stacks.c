/* SPDX-License-Identifier: Apache-2.0 */
/* Imports stacks: frames with ids, before and after the events, lists of frames, damaged frames. */
#include "test-trace-fixture.h"

#include <gio/gio.h>
#include <string.h>

#define X(category_, name_, more_)                                                                 \
    "{\"ph\": \"X\", \"cat\": \"" category_ "\", \"name\": \"" name_                               \
    "\", \"pid\": 1, \"tid\": \"" name_ "\", \"ts\": 5, \"dur\": 2" more_ "}"
#define FRAMES                                                                                     \
    "\"stackFrames\": {\"1\": {\"name\": \"main\", \"category\": \"program\"}, \"b\": "            \
    "{\"parent\": 1, \"name\": \"in\\\"ner\"}, \"3\": {\"name\": \"leaf\", \"parent\": \"b\", "    \
    "\"category\": \"lib.so\"}}"
#define MAIN "main (program)"
#define INNER "in\"ner"
#define LEAF "leaf (lib.so)"

/* Checks a record's stack. `wanted` has the frames joined by '|', innermost first. */
static void check_stack(Fixture *f, const StrobeMockImported *record, const char *wanted)
{
    const StrobeStringId *frames;
    gsize n =
        strobe_mock_importer_stack(f->mock, (StrobeStackId)integer(f, record, "stack"), &frames);
    g_autoptr(GString) text = g_string_new(NULL);

    for (gsize i = 0; i < n; i++)
        g_string_append_printf(text, "%s%s", i ? "|" : "",
                               strobe_mock_importer_string(f->mock, frames[i]));
    g_assert_cmpstr(text->str, ==, wanted);
}

static void check_own(Fixture *f, guint number, const char *name, gint64 time, gint64 is_end,
                      const char *wanted)
{
    const StrobeMockImported *record = nth(f, "chrome_trace.stack", number);

    g_assert_nonnull(record);
    check_name(f, record, name);
    g_assert_cmpint(record->begin_ns, ==, time);
    g_assert_cmpint(integer(f, record, "is_end"), ==, is_end);
    check_stack(f, record, wanted);
}

static const char *const events[] = {
    X("cpu_op", "first", ""),
    X("cpu_op", "op", ", \"sf\": 3"),
    "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": \"first\", \"args\": "
    "{\"name\": "
    "\"t\"}}",
    X("odd", "span", ", \"sf\": \"b\", \"esf\": 1"),
    X("cpu_op", "listed", ", \"stack\": [\"outer\", \"in\\u0041ner\", 16]"),
    X("user_annotation", "mark", ", \"sf\": 3, \"estack\": [\"end\"]"),
    X("cpu_op", "both", ", \"sf\": 1, \"args\": {\"Call stack\": \"x;y\"}"),
    "{\"ph\": \"B\", \"name\": \"begun\", \"pid\": 1, \"tid\": 1, \"ts\": 10, \"sf\": 3}",
    "{\"ph\": \"E\", \"pid\": 1, \"tid\": 1, \"ts\": 12, \"sf\": 1}",
    "{\"ph\": \"I\", \"name\": \"moment\", \"pid\": 1, \"tid\": 1, \"ts\": 13, \"sf\": \"3\"}",
    "{\"ph\": \"C\", \"name\": \"count\", \"pid\": 1, \"ts\": 14, \"sf\": 1, \"args\": {\"a\": 1, "
    "\"b\": 2}}",
    X("cpu_op", "last", ", \"sf\": null"),
    NULL,
};

/* Imports an object that has these members. The member "traceEvents" is replaced by the events. */
static void import_object(Fixture *f, const char *const *members, const char *const *list)
{
    g_autofree char *joined = g_strjoinv(",\n", (char **)list);
    g_autoptr(GString) text = g_string_new(NULL);

    for (guint i = 0; members[i]; i++) {
        g_string_append_c(text, i ? ',' : '{');
        if (!strcmp(members[i], "traceEvents"))
            g_string_append_printf(text, "\"traceEvents\": [%s]", joined);
        else
            g_string_append(text, members[i]);
    }
    g_string_append_c(text, '}');
    import_bytes(f, text->str, (gssize)text->len);
}

static void check_all(Fixture *f)
{
    static const char *const operators[] = {"", LEAF "|" INNER "|" MAIN, "16|inAner|outer", "x|y",
                                            ""};

    g_assert_cmpstr(strobe_mock_importer_damage(f->mock), ==, "");
    for (guint i = 0; i < G_N_ELEMENTS(operators); i++)
        check_stack(f, nth(f, "cpu_op", i), operators[i]);
    g_assert_null(nth(f, "cpu_op", 5));
    check_stack(f, nth(f, "chrome_trace.span", 0), LEAF "|" INNER "|" MAIN);
    check_stack(f, nth(f, "chrome_trace.span", 1), INNER "|" MAIN);
    check_stack(f, only(f, "chrome_trace.event"), LEAF "|" INNER "|" MAIN);
    check_own(f, 0, "span", 7000, 1, MAIN);
    check_own(f, 1, "mark", 5000, 0, LEAF "|" INNER "|" MAIN);
    check_own(f, 2, "mark", 7000, 1, "end");
    check_own(f, 3, "both", 5000, 0, MAIN);
    check_own(f, 4, "begun", 12000, 1, MAIN);
    check_own(f, 5, "count", 14000, 0, MAIN);
    g_assert_null(nth(f, "chrome_trace.stack", 6));
    g_assert_nonnull(nth(f, "metadata", 1));
    g_assert_null(nth(f, "metadata", 2));
    g_assert_cmpstr(strobe_mock_importer_track(f->mock, nth(f, "cpu_op", 0)->track, NULL)->name, ==,
                    "t");
    g_assert_nonnull(strstr(strobe_mock_importer_found(f->mock), ": 12\n"));
}

/* The frames precede the events, follow them immediately, or follow other members after them. */
static void test_places(Fixture *f, gconstpointer place)
{
    static const char *const places[][5] = {
        {"\"m\": 1", FRAMES, "traceEvents", "\"n\": 2", NULL},
        {"\"m\": 1", "traceEvents", FRAMES, "\"n\": 2", NULL},
        {"traceEvents", "\"m\": 1", "\"n\": 2", FRAMES, NULL},
    };

    import_object(f, places[GPOINTER_TO_INT(place)], events);
    check_all(f);
}

/* The trace is so large that a second thread reads it. A trace that is read twice because of its
 * frames is imported only once. */
static void test_large(Fixture *f, gconstpointer is_packed)
{
    const guint n = 60000;
    g_autoptr(GString) text = g_string_new("{\"traceEvents\": [");

    for (guint i = 0; i < n; i++)
        g_string_append_printf(text,
                               "%s{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"n%u\", \"pid\": "
                               "1, \"tid\": 1, \"ts\": %u, \"dur\": 1%s, \"args\": {\"x\": %u}}",
                               i == n - 9 ? ", {\"ph\": ]},"
                               : i        ? ","
                                          : "",
                               i, i, i > n / 2 ? ", \"sf\": \"b\"" : "", i);
    g_string_append(text, "], \"m\": 1, " FRAMES "}");
    if (is_packed) {
        g_autoptr(GZlibCompressor) packer = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 1);
        g_autoptr(GBytes) plain = g_bytes_new(text->str, text->len);
        g_autoptr(GInputStream) bytes = g_memory_input_stream_new_from_bytes(plain);
        g_autoptr(GInputStream) packed = g_converter_input_stream_new(bytes, G_CONVERTER(packer));
        g_autofree char *out = g_malloc(text->len);
        gsize length;

        g_assert_true(g_input_stream_read_all(packed, out, text->len, &length, NULL, NULL));
        import_bytes(f, out, (gssize)length);
    } else {
        import_bytes(f, text->str, (gssize)text->len);
    }
    for (guint i = 0; i<n; i += i> n / 2 + 5 ? 997 : n / 2 - 1) {
        g_autofree char *name = g_strdup_printf("n%u", i);

        check_name(f, nth(f, "cpu_op", i), name);
        check_stack(f, nth(f, "cpu_op", i), i > n / 2 ? INNER "|" MAIN : "");
    }
    g_assert_null(nth(f, "cpu_op", n));
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, only(f, "metadata")->name), ==, "m");
    g_assert_true(is_damaged(f, "expected a value"));
    g_assert_null(strstr(strstr(strobe_mock_importer_damage(f->mock), "expected a value") + 1,
                         "expected a value"));
}

/* ---- damaged frames ---- */

/* Imports events that are followed by these frames. */
static void import_frames(Fixture *f, const char *frames, const char *const *list)
{
    g_autofree char *member = g_strdup_printf("\"stackFrames\": {%s}", frames);
    const char *const members[] = {"traceEvents", member, NULL};

    import_object(f, members, list);
}

static void test_circle(Fixture *f, gconstpointer unused)
{
    static const char *const list[] = {
        X("cpu_op", "a", ", \"sf\": 1"),
        X("cpu_op", "b", ", \"sf\": 4"),
        X("cpu_op", "c", ", \"sf\": 1"),
        NULL,
    };

    import_frames(f,
                  "\"1\": {\"name\": \"a\", \"parent\": 2}, \"2\": {\"name\": \"b\", \"parent\": "
                  "3}, \"3\": {\"name\": \"c\", \"parent\": 2}, \"4\": {\"name\": \"d\", "
                  "\"parent\": 4}",
                  list);
    check_stack(f, nth(f, "cpu_op", 0), "a|b|c");
    check_stack(f, nth(f, "cpu_op", 1), "d");
    check_stack(f, nth(f, "cpu_op", 2), "a|b|c");
    g_assert_true(is_damaged(f, ": 2 stacks have a cycle"));
}

static void test_missing(Fixture *f, gconstpointer unused)
{
    static const char *const list[] = {
        X("cpu_op", "a", ", \"sf\": 1"),
        X("cpu_op", "b", ", \"sf\": 8"),
        X("cpu_op", "c", ", \"sf\": 2"),
        X("cpu_op", "d", ", \"sf\": 5"),
        NULL,
    };

    import_frames(f,
                  "\"1\": {\"name\": \"a\", \"parent\": 7}, \"2\": {}, \"1\": {\"name\": "
                  "\"again\"}, \"5\": {\"category\": \"lib\"}",
                  list);
    check_stack(f, nth(f, "cpu_op", 0), "a|[frame 7]");
    check_stack(f, nth(f, "cpu_op", 1), "[frame 8]");
    check_stack(f, nth(f, "cpu_op", 2), "[frame 2]");
    check_stack(f, nth(f, "cpu_op", 3), "(lib)");
    g_assert_true(is_damaged(f, ": 2 frames of stacks are not in stackFrames, such as \"7\""));
    g_assert_true(is_damaged(f, ": 1 frames occur several times"));
}

/* A trace that is an array has no frames, so a stack is the frame's id. */
static void test_array(Fixture *f, gconstpointer unused)
{
    static const char *const list[] = {X("cpu_op", "a", ", \"sf\": 5"), X("cpu_op", "b", ""), NULL};
    g_autofree char *joined = g_strjoinv(",", (char **)list);
    g_autofree char *text = g_strdup_printf("[%s]", joined);

    import(f, text);
    check_stack(f, nth(f, "cpu_op", 0), "[frame 5]");
    g_assert_nonnull(nth(f, "cpu_op", 1));
    g_assert_null(nth(f, "cpu_op", 2));
    g_assert_true(is_damaged(f, ": 1 frames of stacks are not in stackFrames, such as \"5\""));
}

static void test_odd(Fixture *f, gconstpointer unused)
{
    static const char *const list[] = {
        X("cpu_op", "a", ", \"sf\": 1"),
        X("cpu_op", "b", ", \"sf\": {\"a\": 1}"),
        X("cpu_op", "c", ", \"stack\": \"text\""),
        X("cpu_op", "d", ", \"stack\": []"),
        X("cpu_op", "e", ", \"stack\": [\"\", \"x\", [1, {}], null]"),
        NULL,
    };

    import_frames(f, "\"1\": {\"name\": \"a\", \"parent\": [2]}", list);
    check_stack(f, nth(f, "cpu_op", 0), "a");
    for (guint i = 1; i < 4; i++)
        check_stack(f, nth(f, "cpu_op", i), "");
    check_stack(f, nth(f, "cpu_op", 4), "null|[1, {}]|x");
    g_assert_true(is_damaged(f, ": 3 stacks are neither"));
}

/* The innermost frames are recorded. */
static void test_deep(Fixture *f, gconstpointer unused)
{
    g_autoptr(GString) frames = g_string_new("\"1\": {\"name\": \"f1\", \"parent\": 2}");
    g_autoptr(GString) event = g_string_new("{\"ph\": \"X\", \"cat\": \"cpu_op\", \"ts\": 1, "
                                            "\"stack\": [\"f0\"");
    const char *list[] = {X("cpu_op", "a", ", \"sf\": 1"), NULL, NULL};
    const StrobeStringId *ids;

    for (guint i = 2; i < 3000; i++)
        g_string_append_printf(frames, ", \"%u\": {\"name\": \"f%u\", \"parent\": %u}", i, i,
                               i + 1);
    for (guint i = 1; i < 5000; i++)
        g_string_append_printf(event, ", \"f%u\"", i);
    g_string_append(event, "]}");
    list[1] = event->str;
    import_frames(f, frames->str, list);
    g_assert_cmpuint(strobe_mock_importer_stack(
                         f->mock, (StrobeStackId)integer(f, nth(f, "cpu_op", 0), "stack"), &ids),
                     ==, 1024);
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, ids[0]), ==, "f1");
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, ids[1023]), ==, "f1024");
    g_assert_cmpuint(strobe_mock_importer_stack(
                         f->mock, (StrobeStackId)integer(f, nth(f, "cpu_op", 1), "stack"), &ids),
                     ==, 4096);
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, ids[0]), ==, "f4999");
    g_assert_true(is_damaged(f, ": 2 stacks are too long"));
}

/* After a damaged frame the reader continues at the next frame that follows an object. The events
 * are also read. */
static void test_damaged_frames(Fixture *f, gconstpointer unused)
{
    static const char *const members[] = {
        "\"stackFrames\": {\"1\": {\"name\": \"a\"}, \"2\": 5, \"3\": {\"name\": \"c\"}, \"4\": "
        "{\"name\": \"d\", \"parent\": 1}}",
        "\"m\": 1", "traceEvents", NULL};
    static const char *const list[] = {X("cpu_op", "a", ", \"sf\": 4"), NULL};

    import_object(f, members, list);
    check_stack(f, only(f, "cpu_op"), "d|a");
    g_assert_true(is_damaged(f, "expected a frame"));
    check_name(f, only(f, "metadata"), "m");
}

static void test_cut_frames(Fixture *f, gconstpointer unused)
{
    static const char *const list[] = {X("cpu_op", "a", ", \"sf\": 1"), NULL};

    import_frames(f, "\"1\": {\"name\": \"a\"}, \"2\": {\"na", list);
    check_stack(f, only(f, "cpu_op"), "a");
    g_assert_true(is_damaged(f, "the file ends too early"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function, data)                                                                  \
    g_test_add("/chrome_trace/stacks/" path, Fixture, GINT_TO_POINTER(data), set_up, function,     \
               tear_down)
    ADD("frames-before", test_places, 0);
    ADD("frames-behind", test_places, 1);
    ADD("frames-last", test_places, 2);
    ADD("large", test_large, 0);
    ADD("large-packed", test_large, 1);
    ADD("circle", test_circle, 0);
    ADD("missing", test_missing, 0);
    ADD("array", test_array, 0);
    ADD("odd", test_odd, 0);
    ADD("deep", test_deep, 0);
    ADD("damaged-frames", test_damaged_frames, 0);
    ADD("cut-frames", test_cut_frames, 0);
    return g_test_run();
}
