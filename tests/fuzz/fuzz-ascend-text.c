/* SPDX-License-Identifier: Apache-2.0 */
/* The input has the files of a result directory, one after the other. The importer must keep its
 * contract for any content. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/plugin.h>
#include <unistd.h>
#include "fuzz.h"
#include "mock-importer-host.h"

#define SEPARATOR 0x1e
#define FILES_MAX 12u

const char fuzz_target[] = "ascend-text";

extern const StrobePlugin strobe_plugin_1;

/* Whether the complaints of the contract's check are a fault. The complaint that the import does
 * not report what it found is none, because the source may have no readable data. */
static gboolean is_breach(const char *complaints)
{
    return *complaints && strcmp(complaints, "import does not say what it found\n") != 0;
}

static void import_folder(const char *path, gboolean wants_derived)
{
    StrobeMockImporter *mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);

    strobe_mock_importer_request(mock)->stored_derived = wants_derived;
    strobe_mock_importer_run(mock, path);
    if (is_breach(strobe_mock_importer_complaints(mock)))
        g_printerr("%s", strobe_mock_importer_complaints(mock));
    FUZZ_REQUIRE(!is_breach(strobe_mock_importer_complaints(mock)));
    strobe_mock_importer_free(mock);
}

static char *file_path(const char *folder, guint number)
{
    return g_strdup_printf("%s/profiler_info_%u.csv", folder, number);
}

static guint write_files(const char *folder, const guint8 *bytes, gsize n)
{
    guint files = 0;

    while (n && files < FILES_MAX) {
        const guint8 *end = memchr(bytes, SEPARATOR, n);
        gsize length = end ? (gsize)(end - bytes) : n;
        g_autofree char *path = file_path(folder, files++);
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

        FUZZ_REQUIRE(fd >= 0 && write(fd, bytes, length) == (gssize)length);
        close(fd);
        length += end != NULL;
        bytes += length;
        n -= length;
    }
    return files;
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    g_autofree char *folder = g_dir_make_tmp("strobe-fuzz-text-XXXXXX", NULL);
    guint files = write_files(folder, bytes, n);

    import_folder(folder, n % 2);
    for (guint i = 0; i < files; i++) {
        g_autofree char *path = file_path(folder, i);

        g_unlink(path);
    }
    g_rmdir(folder);
    return 0;
}
