/* SPDX-License-Identifier: Apache-2.0 */
/* The input is a trace, gzipped or not. The importer must keep its contract for any content. */
#include <stdlib.h>
#include <strobe/plugin.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fuzz.h"
#include "mock-importer-host.h"

const char fuzz_target[] = "chrome-trace";

extern const StrobePlugin strobe_plugin_1;

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    int fd = memfd_create("trace", MFD_CLOEXEC);
    g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
    StrobeMockImporter *mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);

    FUZZ_REQUIRE(fd >= 0 && write(fd, bytes, n) == (gssize)n);
    FUZZ_REQUIRE(strobe_mock_importer_probe(mock, path).score >= 0);
    strobe_mock_importer_run(mock, path);
    if (*strobe_mock_importer_complaints(mock))
        g_printerr("%s", strobe_mock_importer_complaints(mock));
    FUZZ_REQUIRE(!*strobe_mock_importer_complaints(mock));
    strobe_mock_importer_free(mock);
    close(fd);
    return 0;
}
