/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "python_call.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "calls",
        .default_value = "true",
        .summary = "Record each call; false: only the stacks for other collectors' records.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "builtins",
        .default_value = "true",
        .summary = "Record calls of functions written in C, too.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_python_call};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .flags = STROBE_COMPONENT_ASK_CALLER,
    .name = "python_call",
    .summary = "Calls of Python functions, C functions and PyTorch modules, in all threads.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_python_call_ops,
};

STROBE_PLUGIN(collector, .name = "python_call", .version = STROBE_PLUGIN_VERSION,
              .summary = "Calls in Python", .license = "Apache-2.0", .vendor = "Strobe");
