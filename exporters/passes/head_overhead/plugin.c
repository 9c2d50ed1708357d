/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/strobe-plugin.h>

#include "head-overhead.h"
#include "head-report.h"

#define TEXT_OPTION(name_, default_, summary_)                                                     \
    {.struct_size = sizeof(StrobeOption),                                                          \
     .type = STROBE_OPTION_STRING,                                                                 \
     .name = name_,                                                                                \
     .default_value = default_,                                                                    \
     .summary = summary_}

static const StrobeOption options[] = {
    TEXT_OPTION("inference", "npu_fx_compiler inference",
                "Name of the range of an inference; blanks and underscores are the same."),
    TEXT_OPTION("cache", "cache_compiler inference", "Name of the range of a cached entry."),
    TEXT_OPTION("run", "TorchNpuGraphBase::Run", "Name of the range of the C++ side."),
    TEXT_OPTION("execute", "ExecuteGraph", "Name of the range of the call of GE."),
    TEXT_OPTION("entry", "",
                "Regular expression for the name of the entry into a compiled module; empty: the "
                "entry that TorchDynamo marks."),
    {
        .struct_size = sizeof(StrobeOption),
        .type = STROBE_OPTION_BOOL,
        .name = "compiled_too",
        .default_value = "false",
        .summary = "Include inferences that compiled a graph in summary and advice.",
    },
};

static const StrobeKind *const kinds[HEAD_KINDS] = {
    [HEAD_INFERENCE] = &strobe_kind_head_overhead,
    [HEAD_STEP] = &strobe_kind_head_overhead_step,
    [HEAD_SUMMARY] = &strobe_kind_head_overhead_summary,
    [HEAD_ADVICE] = &strobe_kind_head_overhead_advice,
};
static const char *const wants[] = {
    "cpu_op", "step", "python_call", "chrome_trace.span", "device_task", "kernel_link", NULL};

static const StrobeComponent component = {
    .struct_size = sizeof(StrobeComponent),
    .type = STROBE_COMPONENT_PASS,
    .name = "head_overhead",
    .summary = "Where the time before a graph's first kernel goes: framework, TorchAir, GE.",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .kinds = kinds,
    .n_kinds = HEAD_KINDS,
    .wants = wants,
    .ops = &head_overhead_ops,
};

STROBE_PLUGIN(
    component, .name = "head_overhead", .version = STROBE_PLUGIN_VERSION,
    .summary = "Where the time before a graph's first kernel goes: framework, TorchAir, GE.",
    .license = "Apache-2.0", .vendor = "Strobe");
