/* SPDX-License-Identifier: Apache-2.0 */
#include "test-trace-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <strobe/plugin.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

void set_up(Fixture *f, gconstpointer unused)
{
    int fd = g_file_open_tmp("strobe-trace-XXXXXX", &f->path, NULL);

    close(fd);
    f->mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
}

void tear_down(Fixture *f, gconstpointer unused)
{
    g_unlink(f->path);
    g_free(f->path);
    strobe_mock_importer_free(f->mock);
}

void import_bytes(Fixture *f, const char *bytes, gssize length)
{
    g_assert_true(g_file_set_contents(f->path, bytes, length, NULL));
    g_assert_cmpint(strobe_mock_importer_run(f->mock, f->path), ==, STROBE_OK);
    g_assert_cmpstr(strobe_mock_importer_complaints(f->mock), ==, "");
}

/* Imports a text: a whole trace, or events, which are put into the member "traceEvents" of an
 * object. */
void import(Fixture *f, const char *events)
{
    gboolean is_whole = *events == '[' || strstr(events, "traceEvents");
    g_autofree char *text =
        is_whole ? g_strdup(events) : g_strdup_printf("{\"traceEvents\": [%s]}", events);

    import_bytes(f, text, -1);
}

const StrobeMockImported *nth(Fixture *f, const char *kind, guint n)
{
    for (gsize i = 0; i < strobe_mock_importer_n_records(f->mock); i++) {
        const StrobeMockImported *record = strobe_mock_importer_record(f->mock, i);

        if (!strcmp(record->kind->name, kind) && n-- == 0)
            return record;
    }
    return NULL;
}

const StrobeMockImported *only(Fixture *f, const char *kind)
{
    g_assert_nonnull(nth(f, kind, 0));
    g_assert_null(nth(f, kind, 1));
    return nth(f, kind, 0);
}

gint64 integer(Fixture *f, const StrobeMockImported *record, const char *field)
{
    return strobe_mock_importer_integer(f->mock, record, field);
}

void check_text(Fixture *f, const StrobeMockImported *record, const char *field, const char *wanted)
{
    g_assert_cmpstr(strobe_mock_importer_text(f->mock, record, field), ==, wanted);
}

void check_name(Fixture *f, const StrobeMockImported *record, const char *wanted)
{
    g_assert_cmpstr(strobe_mock_importer_string(f->mock, record->name), ==, wanted);
}

void check_track(Fixture *f, const StrobeMockImported *record, guint32 type, gint32 device,
                 guint64 id, guint64 pid)
{
    uint64_t found;
    const StrobeTrack *track = strobe_mock_importer_track(f->mock, record->track, &found);

    g_assert_cmpuint(track->type, ==, type);
    g_assert_cmpint(track->device, ==, device);
    g_assert_cmpuint(track->id, ==, id);
    g_assert_cmpuint(found, ==, pid);
}

gboolean is_damaged(Fixture *f, const char *part)
{
    return strstr(strobe_mock_importer_damage(f->mock), part) != NULL;
}
