/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "compile-marks.h"
#include "cpu_op.h"
#include "group-operations.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "shapes",
        .default_value = "false",
        .summary = "Record the shapes and types of each operator's inputs.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "stack",
        .default_value = "false",
        .summary = "Record the stack of each operator; with python_call the Python stack.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "flops",
        .default_value = "false",
        .summary = "Record shapes, and count floating point operations as PyTorch does.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "values",
        .default_value = "false",
        .summary = "Record shapes, and the values of arguments that are not tensors.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "modules",
        .default_value = "false",
        .summary = "Record the TorchScript modules in which each operator runs.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "overloads",
        .default_value = "false",
        .summary = "Record the name of each operator's overload, with PyTorch 2.7 and later.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "compiled_kernels",
        .default_value = "true",
        .summary = "Make torch.compile add profiling code to its C++ kernels, to record each run.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "collectives",
        .default_value = "true",
        .summary = "Record the operations of torch.distributed's process groups on the host.",
    },
};

static const StrobeKind *const kinds[] = {&strobe_kind_cpu_op, &compile_range_kind,
                                          &compile_instant_kind, &group_operation_kind};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "cpu_op",
    .summary = "Operators that PyTorch runs, in all threads.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .ops = &strobe_cpu_op_ops,
};

STROBE_PLUGIN(collector, .name = "cpu_op", .version = STROBE_PLUGIN_VERSION,
              .summary = "Operators of PyTorch", .license = "Apache-2.0", .vendor = "Strobe");
