/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "chrome_trace.h"
#include "kinds.h"

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "chrome_trace",
    .summary = "Reads traces of PyTorch's profiler (Kineto) and any other Chrome trace, gzipped or "
               "not.",
    .kinds = chrome_trace_kinds,
    .n_kinds = N_SORTS,
    .ops = &chrome_trace_importer_ops,
};

static const StrobeComponent *const components[] = {&importer};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .abi_minor = 0,
    .record_version = STROBE_RECORD_VERSION,
    .name = "chrome_trace_import", /* the exporter of this name is a file of its own */
    .version = STROBE_PLUGIN_VERSION,
    .summary = "Chrome traces in",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
    .n_components = sizeof components / sizeof *components,
};
