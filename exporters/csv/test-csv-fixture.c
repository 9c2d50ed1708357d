/* SPDX-License-Identifier: Apache-2.0 */
#include "test-csv-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

extern const StrobePlugin strobe_plugin_1;

static void new_mock(Fixture *f)
{
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    f->thread = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, NULL, NULL, -1);
}

void set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-csv-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    new_mock(f);
}

guint clear_folder(Fixture *f)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;
    guint n = 0;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(f->folder, name, NULL);
        g_remove(path);
        n++;
    }
    g_dir_close(dir);
    return n;
}

void tear_down(Fixture *f, gconstpointer unused)
{
    clear_folder(f);
    g_rmdir(f->folder);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

void begin_case(Fixture *f, gint32 generation, gint32 level)
{
    clear_folder(f);
    strobe_mock_free(f->mock);
    new_mock(f);
    strobe_mock_metadata(f->mock)->generation = generation;
    strobe_mock_metadata(f->mock)->level = level;
}

void check_file(Fixture *f, const char *name, const char *expected)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    g_autofree char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    g_assert_cmpstr(text, ==, expected);
}

gboolean has_file(Fixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);

    return g_file_test(path, G_FILE_TEST_EXISTS);
}
