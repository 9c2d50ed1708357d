/* SPDX-License-Identifier: Apache-2.0 */
#include "test-db-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>
#include <strobe/kinds.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

void fixture_set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-db-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    fixture_generation(f, 3);
    strobe_mock_metadata(f->mock)->level = 1;
    strobe_mock_metadata(f->mock)->rank = -1;
    strobe_mock_metadata(f->mock)->host = "a host";
    strobe_mock_metadata(f->mock)->pid = 7;
}

void fixture_tear_down(Fixture *f, gconstpointer unused)
{
    g_autoptr(GDir) folder = g_dir_open(f->folder, 0, NULL);
    const char *name;

    strobe_mock_free(f->mock);
    while ((name = g_dir_read_name(folder))) {
        g_autofree char *path = g_build_filename(f->folder, name, NULL);

        g_assert_true(g_str_has_suffix(name, ".db")); /* no temporary file may be left */
        g_assert_cmpint(g_unlink(path), ==, 0);
    }
    close(f->directory);
    g_assert_cmpint(g_rmdir(f->folder), ==, 0);
    g_free(f->folder);
}

void fixture_generation(Fixture *f, int32_t generation)
{
    strobe_mock_metadata(f->mock)->generation = generation;
}

void fixture_absent(const StrobeKind *kind, void *fields)
{
    static const double real = __builtin_nan("");
    static const guint64 wide = STROBE_ABSENT_U64;
    static const gint64 whole = STROBE_ABSENT_I64;
    static const gint32 narrow = STROBE_ABSENT_I32;

    memset(fields, 0, (strobe_kind_offset(kind, kind->n_fields) + 7) & ~7u);
    for (guint32 i = 0; i < kind->n_fields; i++) {
        guint32 type = kind->fields[i].type;
        const void *value =
            type == STROBE_FIELD_F64   ? (const void *)&real
            : type == STROBE_FIELD_I64 ? (const void *)&whole
            : type == STROBE_FIELD_I32 ? (const void *)&narrow
            : type == STROBE_FIELD_U64 || type == STROBE_FIELD_LINK || type == STROBE_FIELD_U32
                ? (const void *)&wide
                : NULL;

        if (value)
            memcpy((char *)fields + strobe_kind_offset(kind, i), value, strobe_field_size(type));
    }
}

StrobeTrackId fixture_thread(Fixture *f, guint64 tid)
{
    return strobe_mock_track(f->mock, STROBE_TRACK_THREAD, tid, "", "", -1);
}

StrobeTrackId fixture_stream(Fixture *f, gint32 device, guint64 stream)
{
    return strobe_mock_track(f->mock, STROBE_TRACK_STREAM, stream, "", "Ascend Hardware", device);
}

void fixture_run(Fixture *f)
{
    StrobeStatus status = strobe_mock_run(f->mock);

    g_assert_cmpstr(strobe_mock_error(f->mock), ==, "");
    g_assert_cmpint(status, ==, STROBE_OK);
}

char *fixture_ask(Fixture *f, const char *file, const char *sql)
{
    g_autofree char *path = g_build_filename(f->folder, file, NULL);
    g_autoptr(GString) out = g_string_new(NULL);
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;

    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL)) {
        sqlite3_close(db);
        return g_strdup("no file");
    }
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL))
        g_string_append(out, sqlite3_errmsg(db));
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        g_string_append(out, out->len ? "\n" : "");
        for (int i = 0; i < sqlite3_column_count(statement); i++) {
            const char *text = (const char *)sqlite3_column_text(statement, i);

            g_string_append_printf(out, "%s%s", i ? "|" : "", text ? text : "NULL");
        }
    }
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return g_strdup(out->str);
}
