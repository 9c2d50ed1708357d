/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/kinds.h>
#include <strobe/plugin.h>

#include "opencl.h"
#include "opencl-tasks.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "profiling",
        .default_value = "true",
        .summary = "Also time commands of queues that the program made without profiling.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "calls",
        .default_value = "true",
        .summary = "Record the program's calls, not only what the device does.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_DURATION,
        .name = "clock_interval",
        .default_value = "2s",
        .min = 1e7,
        .max = 6e11,
        .summary = "Time between two readings of a device's clock, while commands are enqueued.",
    },
};

static const StrobeVariable variables[] = {
    {
        .struct_size = sizeof(StrobeVariable),
        .how = STROBE_VARIABLE_PREPEND,
        .name = "OPENCL_LAYERS",
        .value = "{folder}/opencl.so",
    },
};

static const StrobeKind *const kinds[] = {&opencl_task_kind, &strobe_kind_api_call,
                                          &strobe_kind_clock_sync};

static const StrobeComponent collector = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "opencl",
    .summary = "OpenCL: calls, and kernels and copies by the device's own times.",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .kinds = kinds,
    .n_kinds = sizeof kinds / sizeof *kinds,
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .ops = &strobe_opencl_ops,
};

STROBE_PLUGIN(collector, .name = "opencl", .version = STROBE_PLUGIN_VERSION,
              .summary = "Calls and device tasks of OpenCL", .license = "Apache-2.0",
              .vendor = "Strobe");
