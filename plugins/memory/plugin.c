/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "memory-kinds.h"
#include "memory.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "tensors",
        .default_value = "false",
        .summary = "Record which tensors each operator is given, for the timeline of memory.",
    },
};

static const StrobeVariable variables[] = {
    {
        .struct_size = sizeof(StrobeVariable),
        .how = STROBE_VARIABLE_PREPEND,
        .name = "LD_PRELOAD",
        .value = "{folder}/memory-preload.so",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_memory_event, &memory_kind_tensor_use,
                                          &memory_kind_tensor_role};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "memory",
    .summary = "Memory that PyTorch allocates and releases, in all threads.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_memory_ops,
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
};

STROBE_PLUGIN(collector, .name = "memory", .version = STROBE_PLUGIN_VERSION,
              .summary = "Memory of PyTorch", .license = "Apache-2.0", .vendor = "Strobe");
