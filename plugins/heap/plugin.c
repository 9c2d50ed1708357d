/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/plugin.h>

#include "heap-frames.h"
#include "heap-kinds.h"
#include "heap.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "threshold",
        .default_value = "0",
        .min = 0,
        .max = 1e15,
        .summary = "Smaller allocations are not recorded.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BYTES,
        .name = "sampling",
        .default_value = "0",
        .min = 0,
        .max = 1e15,
        .summary = "Record one allocation per this many bytes on average; 0 records every one.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "stacks",
        .default_value = "false",
        .summary = "Record the call path of each allocation.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "depth",
        .default_value = "32",
        .min = 1,
        .max = HEAP_DEPTH_MAX,
        .summary = "Frames of a call path, from the innermost on.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_INT,
        .name = "blocks",
        .default_value = "16777216",
        .min = 1,
        .max = 67108864,
        .summary = "Number of recorded blocks that can be live at once; each takes 16 bytes.",
    },
};

static const StrobeVariable variables[] = {
    {
        .struct_size = sizeof(StrobeVariable),
        .how = STROBE_VARIABLE_PREPEND,
        .name = "LD_PRELOAD",
        .value = "{folder}/heap-preload.so",
    },
};

static const StrobeKind *const kinds[] = {&heap_kind_block, &heap_kind_cost};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ANY_PROCESS,
    .name = "heap",
    .summary = "Memory that a C or C++ program allocates: malloc and its kin.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_heap_ops,
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
};

STROBE_PLUGIN(collector, .name = "heap", .version = STROBE_PLUGIN_VERSION,
              .summary = "Memory of C and C++ programs", .license = "Apache-2.0",
              .vendor = "Strobe");
