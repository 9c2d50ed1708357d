/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <mock-consumer-host.h>
#include <string.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-flamegraph-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
}

/* Removing the folder fails when a file is left in it. */
static void tear_down(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

static char *take_file(const Fixture *f)
{
    g_autofree char *path = g_build_filename(f->folder, "flamegraph.svg", NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_remove(path);
    return text;
}

/* Innermost first, the thread last. */
static void add_path(Fixture *f, gint64 time, const char *const *frames)
{
    const struct strobe_call_path path = {.path = frames ? strobe_mock_stack(f->mock, frames) : 0,
                                          .time = time};

    strobe_mock_derived_kind(f->mock, &strobe_kind_call_path);
    strobe_mock_add(f->mock, &strobe_kind_call_path, 0, 0, 0, 0, &path);
}

static void expect_part(const char *picture, const char *part)
{
    if (!strstr(picture, part))
        g_error("\"%s\" is not in %s", part, picture);
}

/* 1180 pixels are 4 ms; paths that begin alike share their frames. */
static void test_frames(Fixture *f, gconstpointer unused)
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
    g_autofree char *picture = take_file(f);
    expect_part(picture, "<title>h (4.000 ms, 100.000 %)</title><rect x=\"10.000\" y=\"98\" "
                         "width=\"1180.000\"");
    expect_part(picture,
                "<title>main (h) (4.000 ms, 100.000 %)</title><rect x=\"10.000\" y=\"82\"");
    expect_part(picture, "<title>a&lt;int&gt; (h) (2.000 ms, 50.000 %)</title><rect x=\"10.000\" "
                         "y=\"66\" width=\"590.000\"");
    expect_part(picture,
                "<title>d (kernel) (1.000 ms, 25.000 %)</title><rect x=\"305.000\" y=\"50\" "
                "width=\"295.000\"");
    expect_part(picture, "<title>c (h) (2.000 ms, 50.000 %)</title><rect x=\"600.000\" y=\"66\"");
}

static void test_narrow_frames(Fixture *f, gconstpointer unused)
{
    static const char *const wide[] = {"wide", NULL}, *const narrow[] = {"narrow", NULL};

    add_path(f, 1000000000, wide);
    add_path(f, 1000, narrow);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = take_file(f);
    expect_part(picture, "<title>wide (");
    g_assert_null(strstr(picture, "narrow"));
}

static void test_hostile_names(Fixture *f, gconstpointer unused)
{
    static const char *const frames[] = {"</title><script>\x01\xff&\"", NULL};

    strobe_mock_option(f->mock, "title", "<b>");
    add_path(f, 1000, frames);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = take_file(f);
    expect_part(picture, "<title>&lt;/title&gt;&lt;script&gt;\xef\xbf\xbd\xef\xbf\xbd&amp;\" (");
    expect_part(picture, ">&lt;b&gt;</text>");
}

static void test_nothing(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *picture = take_file(f);
    g_assert_null(picture);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, function)                                                                        \
    g_test_add("/flamegraph/" path, Fixture, NULL, set_up, function, tear_down)
    ADD("frames", test_frames);
    ADD("narrow-frames", test_narrow_frames);
    ADD("hostile-names", test_hostile_names);
    ADD("nothing", test_nothing);
    return g_test_run();
}
