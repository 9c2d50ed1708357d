/* SPDX-License-Identifier: Apache-2.0 */
#include "test-ascend-text-fixture.h"

#include <glib/gstdio.h>
#include <strobe/plugin.h>

extern const StrobePlugin strobe_plugin_1;

void fixture_set_up(Fixture *f, gconstpointer unused)
{
    g_autofree char *top = g_dir_make_tmp("strobe-ascend-text-XXXXXX", NULL);

    f->folder = g_build_filename(top, "node_77_20250109074803573_ascend_pt", NULL);
    f->output = g_build_filename(f->folder, "ASCEND_PROFILER_OUTPUT", NULL);
    g_assert_cmpint(g_mkdir_with_parents(f->output, 0700), ==, 0);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
    (void)unused;
}

static void remove_all(const char *path)
{
    GDir *dir = g_dir_open(path, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *inner = g_build_filename(path, name, NULL);

        if (g_unlink(inner))
            remove_all(inner);
    }
    g_dir_close(dir);
    g_rmdir(path);
}

void fixture_tear_down(Fixture *f, gconstpointer unused)
{
    g_autofree char *top = g_path_get_dirname(f->folder);

    remove_all(top);
    strobe_mock_importer_free(f->mock);
    g_free(f->folder);
    g_free(f->output);
    (void)unused;
}

void fixture_write(Fixture *f, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(f->output, name, NULL);
    g_autofree char *quoted = g_strdelimit(g_strdup(text), "'", '"');

    g_assert_true(g_file_set_contents(path, quoted, -1, NULL));
}

void fixture_trace(Fixture *f, ...)
{
    g_autoptr(GString) text = g_string_new("[");
    const char *event;
    va_list events;

    va_start(events, f);
    while ((event = va_arg(events, const char *)))
        g_string_append_printf(text, "%s%s", text->len > 1 ? ", " : "", event);
    va_end(events);
    g_string_append_c(text, ']');
    fixture_write(f, "trace_view.json", text->str);
}

void fixture_import(Fixture *f)
{
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->folder), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
}

void fixture_import_derived(Fixture *f)
{
    strobe_mock_importer_request(f->mock)->stored_derived = 1;
    fixture_import(f);
}

void fixture_again(Fixture *f)
{
    strobe_mock_importer_free(f->mock);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
}

const StrobeMockImported *fixture_record(Fixture *f, const char *kind, guint n)
{
    for (gsize i = 0; i < strobe_mock_importer_n_records(f->mock); i++) {
        const StrobeMockImported *record = strobe_mock_importer_record(f->mock, i);

        if (!strcmp(record->kind->name, kind) && n-- == 0)
            return record;
    }
    return NULL;
}

guint fixture_count(Fixture *f, const char *kind)
{
    guint n = 0;

    while (fixture_record(f, kind, n))
        n++;
    return n;
}

void fixture_assert_line(const char *text, const char *line)
{
    if (!strstr(text, line)) {
        g_test_message("\"%s\" is not in:\n%s", line, text);
        g_test_fail();
    }
}
