/* SPDX-License-Identifier: Apache-2.0 */
#include "show-tables.h"

#include <string.h>

#define INCOMPLETE {"Incomplete", STROBE_COLUMN_INCOMPLETE, STROBE_CELL_MARK}

static const StrobeColumn operator_average[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Calls", "calls", STROBE_CELL_INT},
    {"Self us", "host_self", STROBE_CELL_US_FIXED},
    {"Self %", "self_share", STROBE_CELL_FIXED2},
    {"Total us", "host_total", STROBE_CELL_US_FIXED},
    {"Min us", "host_min", STROBE_CELL_US_FIXED},
    {"Max us", "host_max", STROBE_CELL_US_FIXED},
    {"Shapes", "shapes", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn operator_detail[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Total us", "host_total", STROBE_CELL_US_FIXED},
    {"Self us", "host_self", STROBE_CELL_US_FIXED},
    {"Thread", STROBE_COLUMN_TRACK, STROBE_CELL_INT},
    {"Begin", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Shapes", "shapes", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn step_summary[] = {
    {"Step", "number", STROBE_CELL_INT},
    {"Duration us", "duration", STROBE_CELL_US_FIXED},
    {"Operators", "operators", STROBE_CELL_INT},
    {"Operator self us", "operator_self", STROBE_CELL_US_FIXED},
    {"GC us", "gc", STROBE_CELL_US_FIXED},
    {"Markers", "markers", STROBE_CELL_INT},
    INCOMPLETE,
};

static const StrobeColumn loss[] = {
    {"Cause", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Lost", "count", STROBE_CELL_INT},
    {"Thread", "thread", STROBE_CELL_INT},
    {"Begin", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Duration us", STROBE_COLUMN_DURATION, STROBE_CELL_US_FIXED},
};

static const StrobeColumn op_statistic[] = {
    {"Type", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Core", "core", STROBE_CELL_TEXT},
    {"Count", "count", STROBE_CELL_INT},
    {"Total us", "total", STROBE_CELL_US_FIXED},
    {"Share %", "ratio", STROBE_CELL_FIXED2},
    {"Min us", "min", STROBE_CELL_US_FIXED},
    {"Mean us", "avg", STROBE_CELL_US_FIXED},
    {"Max us", "max", STROBE_CELL_US_FIXED},
    {"Device", "device", STROBE_CELL_DEVICE},
    INCOMPLETE,
};

static const StrobeColumn api_statistic[] = {
    {"Function", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Level", "level", STROBE_CELL_TEXT},
    {"Calls", "count", STROBE_CELL_INT},
    {"Total us", "total", STROBE_CELL_FIXED3},
    {"Min us", "min", STROBE_CELL_FIXED3},
    {"Mean us", "avg", STROBE_CELL_FIXED3},
    {"Max us", "max", STROBE_CELL_FIXED3},
    {"Variance us2", "variance", STROBE_CELL_FIXED3},
    INCOMPLETE,
};

static const StrobeColumn operator_device[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Device us", "device_total", STROBE_CELL_FIXED3},
    {"Device self us", "device_self", STROBE_CELL_FIXED3},
    {"AI core us", "device_total_aicore", STROBE_CELL_FIXED3},
    {"AI core self us", "device_self_aicore", STROBE_CELL_FIXED3},
    {"Host us", "host_total", STROBE_CELL_US_FIXED},
    {"Host self us", "host_self", STROBE_CELL_US_FIXED},
    {"Thread", STROBE_COLUMN_TRACK, STROBE_CELL_INT},
    {"Begin us", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Shapes", "shapes", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn memory_block[] = {
    {"Operator", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Size B", "size", STROBE_CELL_INT},
    {"Allocated us", STROBE_COLUMN_BEGIN, STROBE_CELL_US_FIXED},
    {"Held us", "duration", STROBE_CELL_US_FIXED},
    {"Active us", "active_duration", STROBE_CELL_US_FIXED},
    {"Total B", "allocation_allocated", STROBE_CELL_INT},
    {"Reserved B", "allocation_reserved", STROBE_CELL_INT},
    {"Total after B", "release_allocated", STROBE_CELL_INT},
    {"Allocator", "component", STROBE_CELL_TEXT},
    {"Device", "device", STROBE_CELL_DEVICE},
    INCOMPLETE,
};

static const StrobeColumn step_trace[] = {
    {"Step", "step", STROBE_CELL_INT},
    {"Device", "device", STROBE_CELL_DEVICE},
    {"Stage us", "stage", STROBE_CELL_FIXED3},
    {"Computing us", "computing", STROBE_CELL_FIXED3},
    {"Communication us", "communication", STROBE_CELL_FIXED3},
    {"Not overlapped us", "communication_not_overlapped", STROBE_CELL_FIXED3},
    {"Overlapped us", "overlapped", STROBE_CELL_FIXED3},
    {"Free us", "free", STROBE_CELL_FIXED3},
    {"Bubble us", "bubble", STROBE_CELL_FIXED3},
    {"Preparing us", "preparing", STROBE_CELL_FIXED3},
    INCOMPLETE,
};

static const StrobeColumn communication_time[] = {
    {"Operation", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Step", "step", STROBE_CELL_INT},
    {"Type", "type", STROBE_CELL_TEXT},
    {"Elapse ms", "elapse", STROBE_CELL_FIXED3},
    {"Transit ms", "transit", STROBE_CELL_FIXED3},
    {"Wait ms", "wait", STROBE_CELL_FIXED3},
    {"Synchronization ms", "synchronization", STROBE_CELL_FIXED3},
    {"Idle ms", "idle", STROBE_CELL_FIXED3},
    {"Sum", "is_total", STROBE_CELL_MARK},
    {"Device", "device", STROBE_CELL_DEVICE},
    INCOMPLETE,
};

static const StrobeColumn stack_total[] = {
    {"Self us", "host_self", STROBE_CELL_US_FIXED},
    {"Device us", "device_self", STROBE_CELL_FIXED3},
    {"Calls", "calls", STROBE_CELL_INT},
    {"Path, innermost first", "path", STROBE_CELL_AUTO},
    INCOMPLETE,
};

static const StrobeColumn function[] = {
    {"Self %", "self_share", STROBE_CELL_FIXED2},
    {"Self us", "self", STROBE_CELL_US_FIXED},
    {"Self B", "self_bytes", STROBE_CELL_INT},
    {"Total %", "total_share", STROBE_CELL_FIXED2},
    {"Total us", "total", STROBE_CELL_US_FIXED},
    {"Total B", "total_bytes", STROBE_CELL_INT},
    {"Count", "count", STROBE_CELL_INT},
    {"Function", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Location", "location", STROBE_CELL_TEXT},
    {"Source", "source", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn correlation[] = {
    {"Cause to effect", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Source", "source", STROBE_CELL_TEXT},
    {"Linked", "linked", STROBE_CELL_INT},
    {"Orphan causes", "orphan_cause", STROBE_CELL_INT},
    {"Orphan effects", "orphan_effect", STROBE_CELL_INT},
    {"Ambiguous", "ambiguous", STROBE_CELL_INT},
    {"Too early", "violations", STROBE_CELL_INT},
    {"Worst ns", "worst", STROBE_CELL_INT},
    {"Allowed ns", "error", STROBE_CELL_INT},
    {"Unchecked", "unchecked", STROBE_CELL_INT},
    {"Forgotten", "forgotten", STROBE_CELL_INT},
    INCOMPLETE,
};

static const StrobeColumn device_clock[] = {
    {"Clock", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Pairs", "pairs", STROBE_CELL_INT},
    {"Used", "knots", STROBE_CELL_INT},
    {"Error ns", "error", STROBE_CELL_INT},
    {"Host's ns", "host_error", STROBE_CELL_INT},
    {"Widest ns", "width", STROBE_CELL_INT},
    {"Residual ns", "residual", STROBE_CELL_INT},
    {"Drift ppm", "drift", STROBE_CELL_FIXED3},
    {"Jumps", "jumps", STROBE_CELL_INT},
    {"Broken ns", "broken", STROBE_CELL_INT},
};

static const StrobeColumn head_overhead[] = {
    {"Step", "step", STROBE_CELL_INT},
    {"Graph", "graph", STROBE_CELL_INT},
    {"Mode", "mode", STROBE_CELL_TEXT},
    {"Entry", "entry_source", STROBE_CELL_TEXT},
    {"Bound", "is_upper_bound", STROBE_CELL_MARK},
    {"Compile", "is_compile", STROBE_CELL_MARK},
    {"Nested", "is_nested", STROBE_CELL_MARK},
    {"Begin", STROBE_COLUMN_BEGIN, STROBE_CELL_AUTO},
    {"Framework us", "framework", STROBE_CELL_US_FIXED},
    {"%", "framework_share", STROBE_CELL_FIXED2},
    {"Platform us", "platform", STROBE_CELL_US_FIXED},
    {"TorchAir us", "torchair", STROBE_CELL_US_FIXED},
    {"%", "torchair_share", STROBE_CELL_FIXED2},
    {"Python us", "python", STROBE_CELL_US_FIXED},
    {"C++ us", "cpp", STROBE_CELL_US_FIXED},
    {"GE us", "ge", STROBE_CELL_US_FIXED},
    {"%", "ge_share", STROBE_CELL_FIXED2},
    {"GE to kernel us", "ge_to_first_kernel", STROBE_CELL_US_FIXED},
    {"Total us", "total", STROBE_CELL_US_FIXED},
    {"To kernel us", "to_first_kernel", STROBE_CELL_US_FIXED},
    {"Thread", "thread", STROBE_CELL_INT},
    {"Error", "error", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn head_overhead_step[] = {
    {"Step", "step", STROBE_CELL_INT},
    {"Graphs", "graphs", STROBE_CELL_INT},
    {"Compiled", "compiled", STROBE_CELL_INT},
    {"Framework us", "framework", STROBE_CELL_US_FIXED},
    {"Platform us", "platform", STROBE_CELL_US_FIXED},
    {"TorchAir us", "torchair", STROBE_CELL_US_FIXED},
    {"Python us", "python", STROBE_CELL_US_FIXED},
    {"C++ us", "cpp", STROBE_CELL_US_FIXED},
    {"GE us", "ge", STROBE_CELL_US_FIXED},
    {"Total us", "total", STROBE_CELL_US_FIXED},
    INCOMPLETE,
};

static const StrobeColumn head_overhead_summary[] = {
    {"Part", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Inferences", "count", STROBE_CELL_INT},
    {"Mean us", "mean", STROBE_CELL_US_FIXED},
    {"Median us", "median", STROBE_CELL_US_FIXED},
    {"95 % us", "p95", STROBE_CELL_US_FIXED},
    {"Min us", "min", STROBE_CELL_US_FIXED},
    {"Max us", "max", STROBE_CELL_US_FIXED},
    {"Deviation us", "deviation", STROBE_CELL_US_FIXED},
    INCOMPLETE,
};

static const StrobeColumn head_overhead_advice[] = {
    {"What", STROBE_COLUMN_NAME, STROBE_CELL_TEXT}, {"Part", "part", STROBE_CELL_TEXT},
    {"Mean us", "mean", STROBE_CELL_US_FIXED},      {"Share %", "share", STROBE_CELL_FIXED2},
    {"Advice", "text", STROBE_CELL_TEXT},
};

static const StrobeColumn finding[] = {
    {"Finding", STROBE_COLUMN_NAME, STROBE_CELL_TEXT},
    {"Severity", "severity", STROBE_CELL_TEXT},
    {"Share %", "share", STROBE_CELL_FIXED2},
    {"Sure %", "confidence", STROBE_CELL_FIXED2},
    {"Summary", "summary", STROBE_CELL_TEXT},
    {"Evidence", "evidence", STROBE_CELL_TEXT},
    {"Advice", "advice", STROBE_CELL_TEXT},
    INCOMPLETE,
};

static const StrobeColumn step_part[] = {
    {"Step", "number", STROBE_CELL_INT},
    {"Duration us", "duration", STROBE_CELL_US_FIXED},
    {"GC us", "gc", STROBE_CELL_US_FIXED},
    {"Data us", "data", STROBE_CELL_US_FIXED},
    {"Synchronization us", "synchronization", STROBE_CELL_US_FIXED},
    {"Compile us", "compile", STROBE_CELL_US_FIXED},
    {"Operators us", "operators", STROBE_CELL_US_FIXED},
    {"Python us", "python", STROBE_CELL_US_FIXED},
    {"Other us", "other", STROBE_CELL_US_FIXED},
    INCOMPLETE,
};

#define NO_HEAD_OVERHEAD                                                                           \
    "no range \"npu_fx_compiler inference\" or \"cache_compiler inference\" is in it, with "       \
    "\"TorchNpuGraphBase::Run\" and \"ExecuteGraph\" inside: the model must run in graph mode "    \
    "(torch.compile with TorchAir)"

#define PRESENT_OR(kind, sort, marked, empty)                                                      \
    {{NULL, #kind, kind, G_N_ELEMENTS(kind)}, sort, marked, empty}
#define PRESENT(kind, sort) PRESENT_OR(kind, sort, NULL, NULL)
#define PRESENT_HEAD(kind) PRESENT_OR(kind, NULL, "head_overhead", NO_HEAD_OVERHEAD)

static const StrobePresentation presentations[] = {
    PRESENT(operator_average, "host_self"),
    PRESENT(operator_detail, "host_self"),
    PRESENT(step_summary, NULL),
    PRESENT(finding, NULL),
    PRESENT(step_part, NULL),
    PRESENT(loss, NULL),
    PRESENT(op_statistic, "total"),
    PRESENT(api_statistic, "total"),
    PRESENT(operator_device, "device_total"),
    PRESENT(memory_block, "size"),
    PRESENT(step_trace, NULL),
    PRESENT(communication_time, NULL),
    PRESENT(stack_total, "host_self"),
    PRESENT(function, "self_share"),
    PRESENT(correlation, NULL),
    PRESENT(device_clock, NULL),
    PRESENT_HEAD(head_overhead),
    PRESENT_HEAD(head_overhead_step),
    PRESENT_HEAD(head_overhead_summary),
    PRESENT_HEAD(head_overhead_advice),
};

const StrobePresentation *strobe_presentation_find(const char *kind)
{
    for (gsize i = 0; i < G_N_ELEMENTS(presentations); i++)
        if (strcmp(presentations[i].table.kind, kind) == 0)
            return &presentations[i];
    return NULL;
}
