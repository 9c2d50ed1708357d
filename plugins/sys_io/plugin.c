/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "sys_io.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "interval",
        .default_value = "20ms",
        .min = 1e6,
        .max = 3.6e12,
        .summary = "Time between two samples.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "sys_root",
        .default_value = "/sys",
        .summary = "Where the system file system is; another folder is read as a recording.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "dcmi",
        .default_value = "libdcmi.so",
        .summary = "The device management library of Ascend hosts; where it cannot be loaded, only "
                   "the host's own ports are sampled.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "deadline",
        .default_value = "2s",
        .min = 1e6,
        .max = 6e10,
        .summary = "A call of that library that takes longer is counted as lost samples.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_nic, &strobe_kind_roce, &strobe_kind_mac};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "sys_io",
    .summary = "Network, RoCE and MAC counters of the system, by port.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_sys_io_ops,
};

static const StrobeComponent *const components[] = {&collector};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .name = "sys_io",
    .version = STROBE_PLUGIN_VERSION,
    .summary = "Network, RoCE and MAC counters of the system, by port",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
    .n_components = 1,
};
