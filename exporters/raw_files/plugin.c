/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "torch-raw.h"

static const char *const wants[] = {"cpu_op", "task_queue", "memory_event", "python_call", "gc",
                                    "step",   NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "raw_files",
    .summary = "Raw files as torch_npu's profiler writes them (FRAMEWORK), for its own analyse().",
    .wants = wants,
    .ops = &raw_files_ops,
};

STROBE_PLUGIN(component, .name = "raw_files", .version = STROBE_PLUGIN_VERSION,
              .summary = "Raw files of torch_npu.", .license = "Apache-2.0", .vendor = "Strobe");
