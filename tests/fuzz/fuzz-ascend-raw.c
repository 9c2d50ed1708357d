/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are the files of a result directory: the importer keeps its contract, whatever is in
 * them. */
#include "folder-input.h"
#include "fuzz.h"

const char fuzz_target[] = "ascend-raw";

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
    folder_input_import(bytes, n, names, G_N_ELEMENTS(names));
    return 0;
}
