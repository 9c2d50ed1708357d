/* SPDX-License-Identifier: Apache-2.0 */
#include "test-chrome-trace-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <unistd.h>

void fixture_set_up(Fixture *f, gconstpointer unused)
{
    f->folder = g_dir_make_tmp("strobe-chrome-trace-XXXXXX", NULL);
    f->directory = open(f->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->mock = strobe_mock_new(strobe_plugin_1.components[0], f->directory);
    strobe_mock_option(f->mock, "origin", "epoch");
    f->thread = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4711, "main", NULL, -1);
    f->worker = strobe_mock_track(f->mock, STROBE_TRACK_THREAD, 4712, NULL, NULL, -1);
}

void fixture_tear_down(Fixture *f, gconstpointer unused)
{
    GDir *dir = g_dir_open(f->folder, 0, NULL);
    const char *name;

    while ((name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(f->folder, name, NULL);
        g_remove(path);
    }
    g_dir_close(dir);
    g_rmdir(f->folder);
    g_free(f->folder);
    close(f->directory);
    strobe_mock_free(f->mock);
}

guint string(Fixture *f, const char *text)
{
    return strobe_mock_string(f->mock, text);
}

char *read_file(Fixture *f, const char *name)
{
    g_autofree char *path = g_build_filename(f->folder, name, NULL);
    char *text = NULL;

    g_file_get_contents(path, &text, NULL, NULL);
    return text;
}

char *run_as(Fixture *f, char begin)
{
    g_autoptr(JsonParser) parser = json_parser_new_immutable();
    GError *error = NULL;
    char *text;

    g_assert_cmpint(strobe_mock_run(f->mock), ==, STROBE_OK);
    text = read_file(f, "trace_view.json");
    g_assert_nonnull(text);
    g_assert_true(g_utf8_validate(text, -1, NULL));
    for (const char *at = text; *at; at++)
        g_assert_cmpint((guchar)*at, >=, 0x20);
    json_parser_load_from_data(parser, text, -1, &error);
    g_assert_no_error(error);
    g_assert_cmpint(text[0], ==, begin);
    return text;
}

char *run(Fixture *f)
{
    return run_as(f, '[');
}

void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        g_error("\"%s\" is not in: %s", part, text);
}

void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        g_error("\"%s\" is in: %s", part, text);
}

void assert_order(const char *text, const char *const *parts)
{
    const char *at = text;

    for (; *parts; parts++) {
        const char *found = strstr(at, *parts);

        if (!found)
            g_error("\"%s\" is not behind what it belongs behind: %s", *parts, text);
        at = found + 1;
    }
}
