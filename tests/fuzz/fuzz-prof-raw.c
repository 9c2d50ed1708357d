/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes are files of a directory PROF_*: the importer keeps its contract, whatever is in
 * them. */
#include "folder-input.h"
#include "fuzz.h"

const char fuzz_target[] = "prof-raw";

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
    folder_input_import(bytes, n, names, G_N_ELEMENTS(names));
    return 0;
}
