/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "csv.h"

static const char *const formulas[] = {"escape", "keep", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "kinds",
        .default_value = "",
        .summary = "Write only these kinds; empty: the usual ones.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_KINDS,
        .name = "also",
        .default_value = "",
        .summary = "Write these kinds in addition to the usual ones.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "all_fields",
        .default_value = "false",
        .summary = "Write a table of all fields for each kind, instead of the Ascend files.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "formulas",
        .default_value = "escape",
        .choices = formulas,
        .summary = "How to write texts that a spreadsheet would run as formulas, except in the "
                   "Ascend files: escape (with an apostrophe in front) or keep.",
    },
    GZIP_OPTION,
};

/* operator_device must come before operator_detail, which is ignored once operator_device has
 * rows */
static const char *const wants[] = {
    "*",
    "operator_device",
    "operator_detail",
    "operator_average",
    "step_summary",
    "kernel_detail",
    "op_statistic",
    "api_statistic",
    "step_trace",
    "memory_total",
    "memory_block",
    "heap_path",
    "correlation",
    "device_clock",
    "head_overhead",
    "head_overhead_step",
    "head_overhead_summary",
    "head_overhead_advice",
    NULL,
};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "csv",
    .summary = "Every CSV file of the Ascend PyTorch Profiler, and a table for each other kind.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &csv_ops,
};

STROBE_PLUGIN(component, .name = "csv", .version = STROBE_PLUGIN_VERSION,
              .summary = "Tables as CSV files.", .license = "Apache-2.0", .vendor = "Strobe");
