/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include "reader.h"
#include "thread-buffer.h"

char *scratch_new(void)
{
    g_autoptr(GError) error = NULL;
    char *folder = g_dir_make_tmp("strobe-test-XXXXXX", &error);

    g_assert_no_error(error);
    return folder;
}

void scratch_remove(char *folder)
{
    g_autofree char *quoted = g_shell_quote(folder);
    g_autofree char *command = g_strdup_printf("rm -rf %s", quoted);

    g_assert_true(g_spawn_command_line_sync(command, NULL, NULL, NULL, NULL));
    g_free(folder);
}

StrobeSession *session_new(const char *folder, const char *collectors, const char *more)
{
    const char *buffer =
        more && strstr(more, "\"buffer\"") ? "" : ", \"buffer\": {\"size\": \"8MB\"}";
    g_autofree char *config =
        g_strdup_printf("{\"collectors\": %s, \"output\": {\"directory\": \"%s\"}%s%s%s}",
                        collectors, folder, buffer, more ? ", " : "", more ? more : "");
    StrobeSession *session = NULL;
    StrobeError *error = NULL;

    strobe_session_new(config, "test", &session, &error);
    g_assert_cmpstr(strobe_error_message(error), ==, "");
    return session;
}

static void ignore_result(void *user, const char *directory)
{
}

StrobeSession *patient_session(const char *folder, const char *more)
{
    StrobeSession *session = session_new(folder, "{}", more);

    strobe_session_on_trace_ready(session, ignore_result, NULL);
    return session;
}

guint test_count(const char *variable, guint quick)
{
    const char *text = g_getenv(variable);
    return text ? (guint)g_ascii_strtoull(text, NULL, 10) : quick;
}

guint64 private_pages(void)
{
    unsigned long size, resident, shared;
    FILE *file = fopen("/proc/self/statm", "r");

    g_assert_nonnull(file);
    g_assert_cmpint(fscanf(file, "%lu %lu %lu", &size, &resident, &shared), ==, 3);
    fclose(file);
    return resident - shared;
}

guint count_stuck_buffers(void)
{
    guint n = 0;

    for (guint i = 0; i < STROBE_POOL_THREAD_BUFFERS; i++)
        n += strobe_thread_buffer_is_stuck(i) != 0;
    return n;
}

char *capture_of(StrobeSession *session)
{
    /* waits for the disk, because stop() does not */
    strobe_session_diagnostics(session);
    return g_build_filename(strobe_session_directory(session), "FRAMEWORK", "capture.strobe", NULL);
}

guint64 read_capture(const char *path, const char *kind, EachRecord each, gpointer user)
{
    g_autoptr(GError) error = NULL;
    StrobeReader *reader = strobe_reader_open(path, &error);
    StrobeView views[500];
    guint64 total = 0;
    gsize n;

    g_assert_no_error(error);
    while ((n = strobe_reader_next(reader, views, G_N_ELEMENTS(views), &error)))
        for (gsize i = 0; i < n; i++) {
            if (kind && strcmp(views[i].kind->name, kind))
                continue;
            total++;
            if (each)
                each(&views[i], strobe_reader_string(reader, views[i].name), user);
        }
    g_assert_no_error(error);
    strobe_reader_free(reader);
    return total;
}

char *write_bytes(const char *folder, const char *name, const char *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    char *path = g_build_filename(folder, name, NULL);

    /* The file is not forced to the disk, because some tests write thousands of files. */
    g_file_set_contents_full(path, bytes, (gssize)n, G_FILE_SET_CONTENTS_NONE, 0600, &error);
    g_assert_no_error(error);
    return path;
}
