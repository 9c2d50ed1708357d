/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "pprof.h"

#define FILE_OPTION(option, file, what)                                                            \
    {                                                                                              \
        .struct_size = sizeof(StrobeOption),                                                       \
        .type = STROBE_OPTION_PATH,                                                                \
        .name = option,                                                                            \
        .default_value = file,                                                                     \
        .summary = "Name of the file of " what ", which is compressed.",                           \
    }

static const StrobeOption options[] = {
    FILE_OPTION("file", "profile.pb.gz", "the processor's samples"),
    FILE_OPTION("wait_file", "wait.pb.gz", "waiting (cpu_sample:off_cpu=true)"),
    FILE_OPTION("python_file", "python.pb.gz", "the calls of Python"),
    FILE_OPTION("operators_file", "operators.pb.gz", "the operators' call paths"),
    FILE_OPTION("heap_file", "heap.pb.gz", "the heap's call paths"),
};

static const char *const wants[] = {"cpu_sample", "call_path", "stack_total", "heap_path", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "pprof",
    .summary = "Profiles for pprof: samples, calls of Python, operators and the heap by call path.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &pprof_ops,
};

STROBE_PLUGIN(component, .name = "pprof", .version = STROBE_PLUGIN_VERSION,
              .summary = "Profiles for pprof.", .license = "Apache-2.0", .vendor = "Strobe");
