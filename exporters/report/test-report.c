/* SPDX-License-Identifier: Apache-2.0 */
#include <glib/gstdio.h>
#include <string.h>

#include "../fixture/test-export-fixture.h"
#include "report-memory.h"

#define ROWS 700

static void set_up(ExportFixture *f, gconstpointer unused)
{
    export_fixture_set_up(f, unused);
    strobe_mock_metadata(f->mock)->command = "train";
    strobe_mock_metadata(f->mock)->host = "here";
    strobe_mock_metadata(f->mock)->strobe_version = "1";
    strobe_mock_option(f->mock, "licence", "");
    strobe_mock_derived_kind(f->mock, &strobe_kind_operator_average);
}

static void add_average(ExportFixture *f, const char *name, gint64 self)
{
    const struct strobe_operator_average fields = {
        .calls = 2, .host_self = self, .host_total = self};

    strobe_mock_add(f->mock, &strobe_kind_operator_average, 0, strobe_mock_string(f->mock, name), 0,
                    0, &fields);
}

static guint count_parts(const char *page, const char *part)
{
    guint n = 0;

    for (const char *at = strstr(page, part); at; at = strstr(at + 1, part))
        n++;
    return n;
}

/* A name from a capture ends no element, and no placeholder of the template is left in the page. */
static void test_hostile_name(ExportFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    add_average(f, "</script><img src=x>", 10);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    export_fixture_expect(page, "\\u003c/script>\\u003cimg src=x>");
    g_assert_null(strstr(page, "</script><img"));
    g_assert_null(strstr(page, "@DATA@"));
    g_assert_null(strstr(page, "@STYLE@"));
    g_assert_null(strstr(page, "@SCRIPT@"));
    g_assert_null(strstr(page, "@LIBRARY@"));
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 0);
}

/* The page has the rows with the most time, and one row with the sum of the others. */
static void test_many_rows(ExportFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    for (gint64 i = 1; i <= ROWS; i++) {
        g_autofree char *name = g_strdup_printf("op-%" G_GINT64_FORMAT "-", i);
        add_average(f, name, i);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    g_assert_cmpuint(count_parts(page, "[\"op-"), ==, 500);
    export_fixture_expect(page, "\"total_rows\":700");
    export_fixture_expect(page, "\"op-201-\"");
    g_assert_null(strstr(page, "\"op-200-\""));
    export_fixture_expect(page, "\"rest\":[400.0,20100.0,20100.0,");
}

/* The names have control characters, each of which needs six bytes: all limits are halved until the
 * page is small enough, but the tables have as many rows as before. */
static void test_too_large(ExportFixture *f, gconstpointer unused)
{
    gsize length = 0;

    strobe_mock_option(f->mock, "library", "");
    for (gint64 i = 1; i <= 4000; i++) {
        const struct strobe_cpu_op fields = {0};
        g_autofree char *name = g_strdup_printf("%" G_GINT64_FORMAT "%300s", i, "");

        strobe_mock_add(f->mock, &strobe_kind_cpu_op, 0,
                        strobe_mock_string(f->mock, g_strdelimit(name, " ", '\1')), i, 2 * i,
                        &fields);
        if (i <= ROWS)
            add_average(f, "op", i);
    }
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", &length);
    g_assert_cmpuint(length, >, 1000000);
    g_assert_cmpuint(length, <, 5000000);
    g_assert_cmpuint(count_parts(page, "[\"op\""), ==, 500);
    export_fixture_expect(page, "\"total_rows\":700");
    export_fixture_expect(page, "\"has_all_texts\":false,\"halvings\":1,");
}

/* The page has the library, unless the library would end its element. */
static void test_library(ExportFixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "charts.js", NULL);

    g_assert_true(g_file_set_contents(path, "var charts = 4711;", -1, NULL));
    strobe_mock_option(f->mock, "library", path);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_remove(path);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    export_fixture_expect(page, "<script>var charts = 4711;</script>");
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 0);
}

static void test_unsafe_library(ExportFixture *f, gconstpointer unused)
{
    g_autofree char *path = g_build_filename(f->folder, "charts.js", NULL);

    g_assert_true(g_file_set_contents(path, "var text = '</SCRIPT>';", -1, NULL));
    strobe_mock_option(f->mock, "library", path);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_remove(path);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    g_assert_null(strstr(page, "</SCRIPT>"));
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

static void test_missing_library(ExportFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "/nonexistent/d3.js");
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    export_fixture_expect(page, "<script></script>");
    g_assert_cmpuint(strobe_mock_warnings(f->mock), ==, 1);
}

static void add_memory(ExportFixture *f, gint32 device, gint64 mib, gint64 at_ns)
{
    const struct strobe_memory_event fields = {.address = 4096,
                                               .size = mib << 20,
                                               .total_allocated = mib << 20,
                                               .total_reserved = mib << 21,
                                               .device = device};

    strobe_mock_add(f->mock, &strobe_kind_memory_event, 0, 0, at_ns, at_ns, &fields);
}

/* For each device the page shows what memory is used for. `begin` is the time from the window's
 * begin to the device's first event. */
static void test_memory(ExportFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    strobe_mock_metadata(f->mock)->window_begin_ns = 1000000;
    add_memory(f, 1, 2, 2000000);
    add_memory(f, -1, 1, 3000000);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    export_fixture_expect(page, "\"is_too_long\":false,\"devices_left_out\":0,\"devices\":["
                                "{\"device\":\"cpu\",\"begin\":2000000,\"n_blocks\":1,"
                                "\"most_allocated\":1048576,\"most_reserved\":2097152");
    export_fixture_expect(page, "{\"device\":\"npu:1\",\"begin\":1000000,");
}

/* For a long recording the page has only the maxima. */
static void test_long_memory(ExportFixture *f, gconstpointer unused)
{
    strobe_mock_option(f->mock, "library", "");
    for (gint64 i = 0; i <= REPORT_MEMORY_MAX; i++)
        add_memory(f, -1, i == REPORT_MEMORY_MAX ? 7 : 1, i);
    add_memory(f, -1, 9, 0);
    add_memory(f, -1, 3, 0);
    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    g_autofree char *page = export_fixture_take(f, "report.html", NULL);
    export_fixture_expect(page, "\"is_too_long\":true,");
    export_fixture_expect(page, "\"n_blocks\":0,\"most_allocated\":9437184,");
    export_fixture_expect(page, "\"times\":[],");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(path, test)                                                                            \
    g_test_add("/report/" path, ExportFixture, NULL, set_up, test, export_fixture_tear_down)
    ADD("hostile-name", test_hostile_name);
    ADD("many-rows", test_many_rows);
    ADD("too-large", test_too_large);
    ADD("memory", test_memory);
    ADD("long-memory", test_long_memory);
    ADD("library", test_library);
    ADD("unsafe-library", test_unsafe_library);
    ADD("missing-library", test_missing_library);
    return g_test_run();
}
