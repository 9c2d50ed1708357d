/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "../fixture/test-export-fixture.h"

/* Adds a path, whose innermost frame comes first and whose thread comes last. */
static void add_path(ExportFixture *f, gint64 time, const char *const *frames)
{
    const struct strobe_call_path path = {.path = frames ? strobe_mock_stack(f->mock, frames) : 0,
                                          .time = time};

    strobe_mock_derived_kind(f->mock, &strobe_kind_call_path);
    strobe_mock_add(f->mock, &strobe_kind_call_path, 0, 0, 0, 0, &path);
}

/* 1180 pixels correspond to 4 ms. Paths that have the same outer frames share them in the
 * picture. */
static void test_frames(ExportFixture *f, gconstpointer unused)
{
    static const char *const a[] = {"a<int> (h)", "main (h)", "h", NULL};
    static const char *const c[] = {"c (h)", "main (h)", "h", NULL};
    static const char *const deep[] = {"d (kernel)", "a<int> (h)", "main (h)", "h", NULL};

    add_path(f, 2000000, c);
    add_path(f, 1000000, a);
    add_path(f, 1000000, deep);
    add_path(f, 0, a);
    add_path(f, 500, NULL);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = export_fixture_take(f, "flamegraph.svg", NULL);
    export_fixture_expect(picture,
                          "<title>h (4.000 ms, 100.000 %)</title><rect x=\"10.000\" y=\"98\" "
                          "width=\"1180.000\"");
    export_fixture_expect(
        picture, "<title>main (h) (4.000 ms, 100.000 %)</title><rect x=\"10.000\" y=\"82\"");
    export_fixture_expect(picture,
                          "<title>a&lt;int&gt; (h) (2.000 ms, 50.000 %)</title><rect x=\"10.000\" "
                          "y=\"66\" width=\"590.000\"");
    export_fixture_expect(
        picture, "<title>d (kernel) (1.000 ms, 25.000 %)</title><rect x=\"305.000\" y=\"50\" "
                 "width=\"295.000\"");
    export_fixture_expect(picture,
                          "<title>c (h) (2.000 ms, 50.000 %)</title><rect x=\"600.000\" y=\"66\"");
}

static void test_narrow_frames(ExportFixture *f, gconstpointer unused)
{
    static const char *const wide[] = {"wide", NULL}, *const narrow[] = {"narrow", NULL};

    add_path(f, 1000000000, wide);
    add_path(f, 1000, narrow);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = export_fixture_take(f, "flamegraph.svg", NULL);
    export_fixture_expect(picture, "<title>wide (");
    g_assert_null(strstr(picture, "narrow"));
}

static void test_hostile_names(ExportFixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"</title><script>\x01\xff&\"", NULL};

    strobe_mock_option(f->mock, "title", "<b>");
    add_path(f, 1000, frames);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = export_fixture_take(f, "flamegraph.svg", NULL);
    export_fixture_expect(picture,
                          "<title>&lt;/title&gt;&lt;script&gt;\xef\xbf\xbd\xef\xbf\xbd&amp;\" (");
    export_fixture_expect(picture, ">&lt;b&gt;</text>");
}

/* Each source has its own picture; that of the heap is in bytes. */
static void test_sources(ExportFixture *f, gconstpointer unused)
{
    static const char *const calls[] = {"a.py(9): leaf", "a.py(1): main", NULL};
    static const char *const blocks[] = {"take (h)", NULL};
    static const char *const operators[] = {"aten::mm", NULL};
    const struct strobe_stack_total total = {
        .host_self = 4000000, .calls = 1, .path = strobe_mock_stack(f->mock, operators)};

    strobe_mock_metadata(f->mock)->command = "train";
    export_fixture_add_calls(f, 5000000, calls);
    export_fixture_add_heap(f, 3072, 0, 9999, blocks);
    strobe_mock_add(f->mock, &strobe_kind_stack_total, 0, 0, 0, 0, &total);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *python = export_fixture_take(f, "python_flamegraph.svg", NULL);
    g_autofree char *heap = export_fixture_take(f, "heap_flamegraph.svg", NULL);
    g_autofree char *mine = export_fixture_take(f, "operators_flamegraph.svg", NULL);
    g_autofree char *samples = export_fixture_take(f, "flamegraph.svg", NULL);
    export_fixture_expect(python, "<title>a.py(9): leaf (5.000 ms, 100.000 %)</title>");
    export_fixture_expect(python, ">train: calls of Python</text>");
    export_fixture_expect(heap, "<title>take (h) (3.000 KB, 100.000 %)</title>");
    export_fixture_expect(mine, "<title>aten::mm (4.000 ms, 100.000 %)</title>");
    g_assert_null(samples);
}

static void test_nothing(ExportFixture *f, gconstpointer unused)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = export_fixture_take(f, "flamegraph.svg", NULL);
    g_assert_null(picture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/flamegraph/" path, ExportFixture, NULL, export_fixture_set_up, function,          \
               export_fixture_tear_down)
    ADD("frames", test_frames);
    ADD("narrow-frames", test_narrow_frames);
    ADD("hostile-names", test_hostile_names);
    ADD("sources", test_sources);
    ADD("nothing", test_nothing);
    return g_test_run();
}
