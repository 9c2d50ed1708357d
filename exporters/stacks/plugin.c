/* SPDX-License-Identifier: Apache-2.0 */
#include <gzip-file.h>
#include <strobe/strobe-plugin.h>

#include "path-sources.h"
#include "stacks.h"

static const char *const metrics[] = {"self_cpu_time_total", "self_npu_time_total", NULL};

static const StrobeOption options[] = {
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_ENUM,
        .name = "metric",
        .default_value = "self_cpu_time_total",
        .choices = metrics,
        .summary = "The time that is written for each stack, in microseconds.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "file",
        .default_value = "stacks.log",
        .summary = "Name of the file in the result directory.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "cpu_file",
        .default_value = "cpu_stacks.log",
        .summary = "Name of the file of the processor's samples.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "wait_file",
        .default_value = "wait_stacks.log",
        .summary = "Name of the file of waiting (cpu_sample:off_cpu=true).",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "python_file",
        .default_value = "python_stacks.log",
        .summary = "Name of the file of the calls of Python.",
    },
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_PATH,
        .name = "heap_file",
        .default_value = "heap_stacks.log",
        .summary = "Name of the file of the heap, whose numbers are bytes.",
    },
    HEAP_METRIC_OPTION,
    GZIP_OPTION,
};

static const char *const wants[] = {PATH_SOURCE_KINDS, NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_EXPORTER,
    .name = "stacks",
    .summary = "Folded call stacks for FlameGraph and speedscope.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .wants = wants,
    .ops = &stacks_ops,
};

STROBE_PLUGIN(component, .name = "stacks", .version = STROBE_PLUGIN_VERSION,
              .summary = "Folded call stacks.", .license = "Apache-2.0", .vendor = "Strobe");
