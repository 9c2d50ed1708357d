/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../fixture/test-export-fixture.h"

static void add_total(ExportFixture *f, int64_t self, const char *const *frames)
{
    const struct strobe_stack_total total = {
        .host_self = self, .calls = 1, .path = frames ? strobe_mock_stack(f->mock, frames) : 0};

    strobe_mock_add(f->mock, &strobe_kind_stack_total, 0, 0, 0, 0, &total);
}

static void test_lines(ExportFixture *f, gconstpointer unused)
{
    static const char *const deep[] = {"  c.py(3): h ", "b;x\ny\xff", "a.py(1): f\t", NULL};
    static const char *const flat[] = {"aten::mm", NULL};
    static const char *const blank[] = {" \n ", NULL};

    add_total(f, 1234999, deep);
    add_total(f, 999, flat);
    add_total(f, -5000, flat);
    add_total(f, 5000, NULL);
    add_total(f, 1000, flat);
    add_total(f, 2000, blank);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "stacks.log", NULL);

    g_assert_cmpstr(text, ==,
                    "a.py(1): f;b_x_y\xef\xbf\xbd;c.py(3): h 1234\n"
                    "aten::mm 1\n"
                    "aten::mm 1\n"
                    " 2");
}

/* Lines have whole microseconds, but their sum is the total. */
static void test_sum(ExportFixture *f, gconstpointer unused)
{
    static const char *const flat[] = {"aten::mm", NULL};
    gint64 total = 0, written = 0;

    for (gint64 i = 0; i < 1000; i++) {
        gint64 time = 100 + i * 7919 % 3000;
        add_total(f, time, flat);
        total += time;
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "stacks.log", NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", 0);
    for (char **line = lines; *line; line++)
        written += g_ascii_strtoll(strrchr(*line, ' '), NULL, 10);
    g_assert_cmpint(written, ==, total / 1000);
}

/* The other metric is the time of the kernels, which is absent if there are none. */
static void test_device(ExportFixture *f, gconstpointer unused)
{
    static const char *const flat[] = {"aten::mm", NULL};
    static const double times[] = {12.999, 0.5, -3.0, 1e300, 0};

    strobe_mock_option(f->mock, "metric", "self_npu_time_total");
    for (size_t i = 0; i < G_N_ELEMENTS(times); i++) {
        const struct strobe_stack_total total = {
            .host_self = 99000,
            .calls = 1,
            .path = strobe_mock_stack(f->mock, flat),
            .device_self = i + 1 == G_N_ELEMENTS(times) ? STROBE_ABSENT_F64 : times[i]};

        strobe_mock_add(f->mock, &strobe_kind_stack_total, 0, 0, 0, 0, &total);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "stacks.log", NULL);

    g_assert_cmpstr(text, ==, "aten::mm 12\naten::mm 1");
}

/* Samples are written to a separate file and are summed up separately. */
static void test_samples(ExportFixture *f, gconstpointer unused)
{
    static const char *const deep[] = {"work (h)", "main (h)", "h", NULL};
    static const gint64 times[] = {1500, 700, 900};

    for (gsize i = 0; i < G_N_ELEMENTS(times); i++) {
        const struct strobe_call_path path = {.path = strobe_mock_stack(f->mock, deep),
                                              .time = times[i]};
        strobe_mock_derived_kind(f->mock, &strobe_kind_call_path);
        strobe_mock_add(f->mock, &strobe_kind_call_path, 0, 0, 0, 0, &path);
    }
    add_total(f, 999, deep);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *samples = export_fixture_take(f, "cpu_stacks.log", NULL);
    g_autofree char *operators = export_fixture_take(f, "stacks.log", NULL);

    g_assert_cmpstr(samples, ==,
                    "h;main (h);work (h) 1\nh;main (h);work (h) 1\nh;main (h);work (h) 1");
    g_assert_null(operators);
}

/* Python calls are in microseconds and the heap is in bytes, each in a separate file. */
static void test_sources(ExportFixture *f, gconstpointer unused)
{
    static const char *const calls[] = {"a.py(9): leaf", "a.py(1): main", NULL};
    static const char *const blocks[] = {"take (h)", "main (h)", NULL};

    strobe_mock_option(f->mock, "heap_metric", "live_bytes");
    export_fixture_add_calls(f, 5000, calls);
    export_fixture_add_heap(f, 900, 700, 5000, blocks);
    export_fixture_add_heap(f, 900, 0, 5000, blocks);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *python = export_fixture_take(f, "python_stacks.log", NULL);
    g_autofree char *heap = export_fixture_take(f, "heap_stacks.log", NULL);

    g_assert_cmpstr(python, ==, "a.py(1): main;a.py(9): leaf 5");
    g_assert_cmpstr(heap, ==, "main (h);take (h) 700");
}

static void test_nothing(ExportFixture *f, gconstpointer unused)
{
    static const char *const flat[] = {"aten::mm", NULL};

    add_total(f, 999, flat);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "stacks.log", NULL);

    g_assert_null(text);
}

static void test_file_option(ExportFixture *f, gconstpointer unused)
{
    static const char *const flat[] = {"aten::mm", NULL};

    strobe_mock_option(f->mock, "file", "a/b");
    g_assert_cmpint(strobe_mock_open(f->mock), ==, STROBE_ERROR_IO);
    strobe_mock_option(f->mock, "file", "my.log");
    add_total(f, 1000, flat);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "my.log", NULL);

    g_assert_cmpstr(text, ==, "aten::mm 1");
}

static void test_external_kind(ExportFixture *f, gconstpointer unused)
{
    static const StrobeField fields[] = {{"host_self", STROBE_FIELD_F64, 0, "", ""},
                                         {"path", STROBE_FIELD_U8, 0, "", ""}};
    static const StrobeKind kind = {
        sizeof(StrobeKind), STROBE_SHAPE_INSTANT, "stack_total", "", fields, 2, 0};
    const double values[2] = {1e9, 0};

    strobe_mock_add(f->mock, &kind, 0, 0, 0, 0, values);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *text = export_fixture_take(f, "stacks.log", NULL);

    g_assert_null(text);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/stacks/" path, ExportFixture, NULL, export_fixture_set_up, function,              \
               export_fixture_tear_down)
    ADD("lines", test_lines);
    ADD("sum", test_sum);
    ADD("device", test_device);
    ADD("samples", test_samples);
    ADD("sources", test_sources);
    ADD("nothing", test_nothing);
    ADD("file-option", test_file_option);
    ADD("external-kind", test_external_kind);
    return g_test_run();
}
