/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "flamegraph.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "flamegraph.svg",
        .summary = "Name of the file in the result directory.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "title",
        .default_value = "",
        .summary = "Title of the picture; the command where it is empty.",
    },
};

static const char *const wants[] = {"call_path", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "flamegraph",
    .summary = "Flame graph of processor samples: an SVG picture to zoom and search in.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &flamegraph_ops,
};

STROBE_PLUGIN(component, .name = "flamegraph", .version = STROBE_PLUGIN_VERSION,
              .summary = "Flame graph.", .license = "Apache-2.0", .vendor = "Strobe");
