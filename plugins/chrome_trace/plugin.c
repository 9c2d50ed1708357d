/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "chrome_trace.h"
#include "trace-import-kinds.h"

static const StrobeComponent importer = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_IMPORTER,
    .name = "chrome_trace",
    .summary = "Reads traces of PyTorch's profiler (Kineto) and any other Chrome trace, gzipped or "
               "not.",
    .kinds = chrome_trace_kinds,
    .n_kinds = N_RECORD_TYPES,
    .ops = &chrome_trace_importer_ops,
};

STROBE_PLUGIN(importer, .name = "chrome_trace_import", .version = STROBE_PLUGIN_VERSION,
              .summary = "Chrome traces in", .license = "Apache-2.0", .vendor = "Strobe");
