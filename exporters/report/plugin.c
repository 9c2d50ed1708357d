/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "report.h"

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "report.html",
        .summary = "Name of the page in the result directory.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "library",
        .default_value = "/usr/share/nodejs/d3/dist/d3.min.js",
        .summary = "The library of charts (Debian package node-d3), put into the page; without it "
                   "tables replace the charts.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "licence",
        .default_value = "/usr/share/doc/node-d3/copyright",
        .summary = "The library's licence, put into the page.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "comparison",
        .default_value = "",
        .summary = "A file that \"strobe diff --json\" wrote, shown as the comparison.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "ranks",
        .default_value = "",
        .summary = "A JSON file with a row for each rank of a job, which \"strobe report\" makes.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_STRING,
        .name = "source",
        .default_value = "",
        .summary = "A JSON file with the result's files and configuration, which \"strobe report\" "
                   "makes.",
    },
};

static const char *const wants[] = {"*",
                                    "finding",
                                    "step_part",
                                    "operator_average",
                                    "op_statistic",
                                    "function",
                                    "call_path",
                                    "stack_total",
                                    "step_trace",
                                    "api_statistic",
                                    "correlation",
                                    "device_clock",
                                    "communication_time",
                                    "heap_path",
                                    "kernel_link",
                                    "memory_block",
                                    "operator_link",
                                    NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "report",
    .summary = "One page that says what cost time and shows it: findings, steps, tables, charts.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &report_ops,
};

STROBE_PLUGIN(component, .name = "report", .version = STROBE_PLUGIN_VERSION,
              .summary = "A page of findings, tables and charts.", .license = "Apache-2.0",
              .vendor = "Strobe");
