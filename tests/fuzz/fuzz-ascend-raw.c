/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are the files of a result directory: the importer keeps its contract, whatever is in
 * them. */
#include <stdlib.h>
#include <strobe/plugin.h>
#include "folder-input.h"
#include "fuzz.h"
#include "mock-importer-host.h"

const char fuzz_target[] = "ascend-raw";

extern const StrobePlugin strobe_plugin_1;

#define PROF "PROF_000001_20250101000000000_ABCDEF"

static const char *const names[] = {
    "FRAMEWORK/torch.op_range",
    "FRAMEWORK/torch.op_mark",
    "FRAMEWORK/torch.memory_usage",
    "FRAMEWORK/torch.python_tracer_func",
    "FRAMEWORK/torch.python_tracer_hash",
    "FRAMEWORK/torch.param_tensor_info",
    "FRAMEWORK/torch.gc_record",
    "profiler_info_0.json",
    "profiler_metadata.json",
    PROF "/host/info.json",
    PROF "/host/start_info",
    PROF "/host/host_start.log",
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
