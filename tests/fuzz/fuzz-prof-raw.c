/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are files of a directory PROF_*: the importer keeps its contract, whatever is in
 * them. */
#include <stdlib.h>
#include <strobe/plugin.h>
#include "folder-input.h"
#include "fuzz.h"
#include "mock-importer-host.h"

const char fuzz_target[] = "prof-raw";

extern const StrobePlugin strobe_plugin_1;

static const char *const names[] = {
    "device_0/data/hccs.data.0.slice_0",
    "device_0/data/hccs.data.0.slice_1",
    "device_0/data/pcie.data.0.slice_0",
    "device_0/data/pcie.data.0.slice_1",
    "device_0/data/nic.data.0.slice_0",
    "device_0/data/roce.data.0.slice_0",
    "device_0/data/l2_cache.data.0.slice_0",
    "device_0/info.json.0",
    "device_0/sample.json",
    "device_0/start_info.0",
    "host/data/host_cpu.data.slice_0",
    "host/data/host_mem.data.slice_0",
    "host/data/host_network.data.slice_0",
    "host/data/host_disk.data.slice_0",
    "host/data/host_syscall.data.slice_0",
    "host/data/host_pthreadcall.data.slice_0",
    "host/info.json",
    "host/start_info",
};

int LLVMFuzzerTestOneInput(const guint8 *bytes, gsize n)
{
    StrobeMockImporter *mock = strobe_mock_importer_new(strobe_plugin_1.components[0]);
    char *folder = folder_input_make(bytes, n, names, G_N_ELEMENTS(names));

    strobe_mock_importer_probe(mock, folder);
    strobe_mock_importer_run(mock, folder);
    if (*strobe_mock_importer_complaints(mock))
        g_printerr("%s", strobe_mock_importer_complaints(mock));
    FUZZ_REQUIRE(!*strobe_mock_importer_complaints(mock));
    folder_input_clear(folder, names, G_N_ELEMENTS(names));
    strobe_mock_importer_free(mock);
    return 0;
}
