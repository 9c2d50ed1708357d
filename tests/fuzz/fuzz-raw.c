/* SPDX-License-Identifier: Apache-2.0 */
/* The input has the files of a folder that an importer of raw files reads. The importer must keep
 * its contract for any content. FUZZED_IMPORTER is the name of the importer. */
#include <string.h>
#include "folder-input.h"
#include "fuzz.h"

const char fuzz_target[] = FUZZED_IMPORTER;

#define PROF "PROF_000001_20250101000000000_ABCDEF"

static const char *const ascend_raw_names[] = {
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

static const char *const prof_raw_names[] = {
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
    if (strcmp(FUZZED_IMPORTER, "ascend-raw") == 0)
        folder_input_import(bytes, n, ascend_raw_names, G_N_ELEMENTS(ascend_raw_names));
    else
        folder_input_import(bytes, n, prof_raw_names, G_N_ELEMENTS(prof_raw_names));
    return 0;
}
