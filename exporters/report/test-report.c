/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <mock-consumer-host.h>
#include <string.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

#define ROWS 700

typedef struct Fixture {
    char *folder;
    int directory;
    StrobeMockHost *mock;
} Fixture;

static void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-report-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    strobe_mock_metadata(f->mock)->command = "train";
    strobe_mock_metadata(f->mock)->host = "here";
    strobe_mock_metadata(f->mock)->strobe_version = "1";
    strobe_mock_option(f->mock, "licence", "");
    strobe_mock_derived_kind(f->mock, &strobe_kind_operator_average);
}

/* Removing the folder fails when a file is left in it. */
static void tear_down(Fixture *f, gconstpointer unused)
{
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

static char *take_file(const Fixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_remove(path);
    return text;
}

static void add_average(Fixture *f, const char *name, gint64 self)
{
    const struct strobe_operator_average fields = {
        .calls = 2, .host_self = self, .host_total = self};

    strobe_mock_add(f->mock, &strobe_kind_operator_average, 0, strobe_mock_string(f->mock, name), 0,
                    0, &fields);
}

static void expect_part(const char *page, const char *part)
{
    if (!strstr(page, part))
        g_error("\"%s\" is not in the page", part);
}

static guint count_parts(const char *page, const char *part)
{
    guint n = 0;

    for (const char *at = strstr(page, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

/* A name from outside ends no element, and the page has no mark of its template left. */
static void test_hostile_name(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    add_average(f, "</script><img src=x>", 10);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = take_file(f, "report.html");
    expect_part(page, "\\u003c/script>\\u003cimg src=x>");
    g_assert_null(strstr(page, "</script><img"));
    g_assert_null(strstr(page, "@DATA@"));
    g_assert_null(strstr(page, "@STYLE@"));
    g_assert_null(strstr(page, "@SCRIPT@"));
    g_assert_null(strstr(page, "@LIBRARY@"));
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 0);
}

/* The rows that weigh most; the others in one sum. */
static void test_many_rows(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    for (gint64 i = 1; i <= ROWS; i++) {
        g_autofree char *name = g_strdup_printf("op-%" G_GINT64_FORMAT "-", i);
        add_average(f, name, i);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = take_file(f, "report.html");
    g_assert_cmpuint(count_parts(page, "[\"op-"), ==, 500);
    expect_part(page, "\"total_rows\":700");
    expect_part(page, "\"op-201-\"");
    g_assert_null(strstr(page, "\"op-200-\""));
    expect_part(page, "\"rest\":[400.0,20100.0,20100.0,");
}

/* The library comes into the page; one that would end its element does not. */
static void test_library(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "charts.js", NULL);

    g_assert_true(g_file_set_contents(path, "var charts = 4711;", -1, NULL));
    strobe_mock_option(f->mock, "library", path);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_remove(path);
    g_autofree char *page = take_file(f, "report.html");
    expect_part(page, "<script>var charts = 4711;</script>");
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 0);
}

static void test_unsafe_library(Fixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "charts.js", NULL);

    g_assert_true(g_file_set_contents(path, "var text = '</SCRIPT>';", -1, NULL));
    strobe_mock_option(f->mock, "library", path);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_remove(path);
    g_autofree char *page = take_file(f, "report.html");
    g_assert_null(strstr(page, "</SCRIPT>"));
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

static void test_missing_library(Fixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "/nonexistent/d3.js");
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = take_file(f, "report.html");
    expect_part(page, "<script></script>");
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, test) g_test_add("/report/" path, Fixture, NULL, set_up, test, tear_down)
    ADD("hostile-name", test_hostile_name);
    ADD("many-rows", test_many_rows);
    ADD("library", test_library);
    ADD("unsafe-library", test_unsafe_library);
    ADD("missing-library", test_missing_library);
    return g_test_run();
}
