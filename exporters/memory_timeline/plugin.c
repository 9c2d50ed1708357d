/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "memory-records.h"
#include "memory-timeline.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "memory_timeline.html",
        .summary =
            "Name of the file; its ending chooses the form: .html, .json, .raw.json, and .gz.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "device",
        .default_value = "cpu",
        .summary = "Device whose memory is shown: cpu, npu:0 and so on.",
    },
    GZIP_OPTION,
};

static const char *const wants[] = {MEMORY_FLOW_KINDS, NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "memory_timeline",
    .summary = "Memory over time by purpose: parameters, activations, gradients ...",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &memory_timeline_ops,
};

STROBE_PLUGIN(component, .name = "memory_timeline", .version = STROBE_PLUGIN_VERSION,
              .summary = "Memory over time by category.", .license = "Apache-2.0",
              .vendor = "Strobe");
