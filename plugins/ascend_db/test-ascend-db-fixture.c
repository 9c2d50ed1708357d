/* SPDX-License-Identifier: Apache-2.0 */
#include "test-ascend-db-fixture.h"

#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <strobe/plugin.h>

extern const StrobePlugin strobe_plugin_1;

void fixture_set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-ascend-db-XXXXXX", NULL);
    f->path = g_build_filename(f->folder, "anything_4.bin", NULL);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
}

void fixture_tear_down(Fixture *f, gconstpointer unused)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(f->folder, name, NULL);

        g_unlink(path);
    }
    g_dir_close(dir);
    g_rmdir(f->folder);
    strobe_mock_importer_free(f->mock);
    g_free(f->folder);
    g_free(f->path);
}

void fixture_make(const char *path, const char *first, ...)
{
    sqlite3 *sql;
    char *error = NULL;
    va_list more;

    g_assert_cmpint(sqlite3_open(path, &sql), ==, SQLITE_OK);
    va_start(more, first);
    for (const char *text = first; text; text = va_arg(more, const char *)) {
        sqlite3_exec(sql, text, NULL, NULL, &error);
        g_assert_cmpstr(error, ==, NULL);
    }
    va_end(more);
    g_assert_cmpint(sqlite3_close(sql), ==, SQLITE_OK);
}

void fixture_import(Fixture *f)
{
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->path), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
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

void fixture_assert_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint device,
                          guint64 id, const char *name, const char *group)
{
    guint64 pid = 0;
    const StrobeTrack *track = strobe_mock_importer_track(f->mock, record->track, &pid);

    g_assert_nonnull(track);
    g_assert_cmpuint(track->type, ==, type);
    g_assert_cmpint(track->device, ==, device);
    g_assert_cmpuint(track->id, ==, id);
    g_assert_cmpstr(track->name, ==, name);
    g_assert_cmpstr(track->group, ==, group);
    g_assert_cmpuint(pid, ==, 7);
}

void fixture_again(Fixture *f)
{
    strobe_mock_importer_free(f->mock);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
}
