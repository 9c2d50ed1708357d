/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "host_sys.h"

static const char *const items[] = {"cpu", "mem", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_LIST,
        .name = "items",
        .default_value = "cpu+mem",
        .choices = items,
        .summary = "What to sample of the process.",
    },
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
        .name = "proc_root",
        .default_value = "/proc",
        .summary = "Where the process file system is; another folder is read as a recording.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_host_cpu, &strobe_kind_host_mem};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "host_sys",
    .summary = "Processor and memory use of the process.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_host_sys_ops,
};

static const StrobeComponent *const components[] = {&collector};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .name = "host_sys",
    .version = STROBE_PLUGIN_VERSION,
    .summary = "Processor and memory use of the process",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
    .n_components = 1,
};
