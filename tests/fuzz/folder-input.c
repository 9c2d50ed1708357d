/* SPDX-License-Identifier: Apache-2.0 */
#include "folder-input.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/plugin.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fuzz.h"
#include "mock-importer-host.h"

#define HEAD 5u

extern const StrobePlugin strobe_plugin_1;

static void write_file(const char *folder, const char *name, const guint8 *bytes, gsize n)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    FILE *file;

    FUZZ_REQUIRE(g_mkdir_with_parents(parent, 0700) == 0);
    file = g_fopen(path, "we");
    FUZZ_REQUIRE(file && fwrite(bytes, 1, n, file) == n && fclose(file) == 0);
}

static char *make_folder(const guint8 *bytes, gsize n, const char *const *names, guint n_names)
{
    const char *memory = g_file_test("/dev/shm", G_FILE_TEST_IS_DIR) ? "/dev/shm" : g_get_tmp_dir();
    char *folder = g_build_filename(memory, "strobe-fuzz-XXXXXX", NULL);

    FUZZ_REQUIRE(g_mkdtemp(folder) != NULL);
    while (n >= HEAD) {
        guint number = bytes[0] % n_names;
        guint32 length;

        memcpy(&length, bytes + 1, sizeof length);
        length = (guint32)MIN(GUINT32_FROM_LE(length), n - HEAD);
        write_file(folder, names[number], bytes + HEAD, length);
        bytes += HEAD + length;
        n -= HEAD + length;
    }
    return folder;
}

static void clear_folder(char *folder, const char *const *names, guint n_names)
{
    for (guint i = 0; i < n_names; i++) {
        g_autofree char *path = g_build_filename(folder, names[i], NULL);

        g_unlink(path);
        for (char *end; strlen(path) > strlen(folder) && (end = strrchr(path, '/'));) {
            *end = 0;
            if (g_rmdir(path) != 0)
                break;
        }
    }
    g_rmdir(folder);
    g_free(folder);
}

void folder_input_import(const guint8 *bytes, gsize n, const char *const *names, guint n_names)
{
    StrobeMockImporter *mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
    char *folder = make_folder(bytes, n, names, n_names);

    strobe_mock_importer_probe(mock, folder);
    strobe_mock_importer_run(mock, folder);
    if (*strobe_mock_importer_complaints(mock))
        g_printerr("%s", strobe_mock_importer_complaints(mock));
    FUZZ_REQUIRE(!*strobe_mock_importer_complaints(mock));
    clear_folder(folder, names, n_names);
    strobe_mock_importer_free(mock);
}
