/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a database. The importer must keep its contract for any content. */
#include <stdlib.h>
#include <strobe/plugin.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "mock-importer-host.h"

const char fuzz_target[] = "ascend-db";

extern const StrobePlugin strobe_plugin_1;

static void import_bytes(const char *path, gboolean wants_derived)
{
    StrobeMockImporter *mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);

    strobe_mock_importer_request(mock)->stored_derived = wants_derived;
    strobe_mock_importer_run(mock, path);
    if (*strobe_mock_importer_complaints(mock))
        g_printerr("%s", strobe_mock_importer_complaints(mock));
    FUZZ_REQUIRE(!*strobe_mock_importer_complaints(mock));
    strobe_mock_importer_free(mock);
}

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    int fd = memfd_create("database", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

    FUZZ_REQUIRE(fd >= 0 && write(fd, bytes, n) == (gssize)n);
    import_bytes(path, n % 2);
    close(fd);
    return 0;
}
