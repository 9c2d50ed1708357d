/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "flamegraph.h"
#include "path-sources.h"

#define FILE_OPTION(option, file, what)                                                            \
    {                                                                                              \
        .struct_size = sizeof(StrobeOption),                                                       \
        .type = STROBE_OPTION_PATH,                                                                \
        .name = option,                                                                            \
        .default_value = file,                                                                     \
        .summary = "Name of the picture of " what ".",                                             \
    }

static const StrobeOption options[] = {
    FILE_OPTION("file", "flamegraph.svg", "the processor's samples"),
    FILE_OPTION("wait_file", "wait_flamegraph.svg", "waiting (cpu_sample:off_cpu=true)"),
    FILE_OPTION("python_file", "python_flamegraph.svg", "the calls of Python"),
    FILE_OPTION("operators_file", "operators_flamegraph.svg", "the operators"),
    FILE_OPTION("heap_file", "heap_flamegraph.svg", "the heap"),
    HEAP_METRIC_OPTION,
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "title",
        .default_value = "",
        .summary = "Title of the pictures; empty: the command.",
    },
};

static const char *const wants[] = {PATH_SOURCE_KINDS, NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "flamegraph",
    .summary =
        "Flame graphs of samples, Python, operators and the heap: SVG to zoom and search in.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &flamegraph_ops,
};

STROBE_PLUGIN(component, .name = "flamegraph", .version = STROBE_PLUGIN_VERSION,
              .summary = "Flame graph.", .license = "Apache-2.0", .vendor = "Strobe");
