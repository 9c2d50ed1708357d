/* SPDX-License-Identifier: Apache-2.0 */
#include "kinds.h"

#define FIELD(name_, type_, unit_, summary_) {name_, STROBE_FIELD_##type_, 0, unit_, summary_}
#define OURS KINETO_OURS

/* What Kineto says of every event. */
#define EXTERNAL_FIELDS                                                                            \
    FIELD(OURS "external_id", U64, "", "Id that joins an operator and what it causes."),           \
        FIELD(OURS "event_index", I64, "", "Number of the event in the trace."),                   \
        FIELD(OURS "arguments", STRING, "", "Arguments that no field is for, as JSON.")

static const StrobeField operator_fields[] = {
    EXTERNAL_FIELDS,
    FIELD(OURS "record_function", U64, "", "Id of the call of the framework's record function."),
    FIELD(OURS "strides", STRING, "", "Strides of the inputs, as JSON."),
    FIELD(OURS "concrete_inputs", STRING, "", "Values of the inputs, as JSON."),
    FIELD(OURS "module_hierarchy", STRING, "", "Modules around the operator."),
};
static const StrobeField mark_fields[] = {
    EXTERNAL_FIELDS,
    FIELD(OURS "record_function", U64, "", "Id of the call of the framework's record function."),
};
static const StrobeField python_fields[] = {EXTERNAL_FIELDS};
static const StrobeField call_fields[] = {
    EXTERNAL_FIELDS,
    FIELD(OURS "callback", U64, "", "Number of the interface function (cbid)."),
};
static const StrobeField task_fields[] = {
    EXTERNAL_FIELDS,
    FIELD(OURS "queued", U64, "", "When it was queued, as the source says it."),
    FIELD(OURS "context", U64, "", "Context on the device."),
    FIELD(OURS "registers", U64, "", "Registers of a thread."),
    FIELD(OURS "shared_memory", U64, "B", "Shared memory of a block."),
    FIELD(OURS "blocks_per_sm", F64, "", "Blocks of a multiprocessor."),
    FIELD(OURS "warps_per_sm", F64, "", "Warps of a multiprocessor."),
    FIELD(OURS "occupancy", F64, "%", "Occupancy that was probably achieved."),
};
static const StrobeField communication_fields[] = {
    EXTERNAL_FIELDS,
    FIELD(OURS "queued", U64, "", "When it was queued, as the source says it."),
    FIELD(OURS "context", U64, "", "Context on the device."),
    FIELD(OURS "registers", U64, "", "Registers of a thread."),
    FIELD(OURS "shared_memory", U64, "B", "Shared memory of a block."),
    FIELD(OURS "blocks_per_sm", F64, "", "Blocks of a multiprocessor."),
    FIELD(OURS "warps_per_sm", F64, "", "Warps of a multiprocessor."),
    FIELD(OURS "occupancy", F64, "%", "Occupancy that was probably achieved."),
    FIELD(OURS "grid", STRING, "", "Grid of the kernel."),
    FIELD(OURS "block", STRING, "", "Block of the kernel."),
};
static const StrobeField memory_fields[] = {
    FIELD(OURS "event_index", I64, "", "Number of the event in the trace."),
    FIELD(OURS "device_type", I32, "", "Sort of device: 0 CPU, 1 CUDA."),
    FIELD(OURS "arguments", STRING, "", "Arguments that no field is for, as JSON."),
};
static const StrobeField counter_fields[] = {
    FIELD(OURS "series", STRING, "", "Which of the counter's values."),
    FIELD(OURS "category", STRING, "", "Category of the event."),
    FIELD(OURS "id", STRING, "", "Id of the counter."),
};

static const StrobeField span_fields[] = {
    FIELD("category", STRING, "", "Category of the event."),
    FIELD("id", STRING, "", "Id of an asynchronous event."),
    FIELD("arguments", STRING, "", "Arguments, as JSON."),
    FIELD("phase", STRING, "", "Phase that began it: X, B, b, S."),
    FIELD("stack", STACK, "", "Call stack of its begin."),
    FIELD("unfinished", BOOL, "", "It never ends in the source; its end is that of the trace."),
};
const StrobeKind chrome_trace_span_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_SPAN,
    .name = OURS "span",
    .summary = "A span of a trace that no other kind has a place for.",
    .fields = span_fields,
    .n_fields = G_N_ELEMENTS(span_fields),
};

static const StrobeField event_fields[] = {
    FIELD("phase", STRING, "", "Phase of the event."),
    FIELD("category", STRING, "", "Category of the event."),
    FIELD("id", STRING, "", "Id of the event."),
    FIELD("scope", STRING, "", "Scope: g, p or t."),
    FIELD("arguments", STRING, "", "Arguments, as JSON."),
    FIELD("stack", STACK, "", "Call stack."),
    FIELD("duration", F64, "us", "Duration, where it has one."),
};
const StrobeKind chrome_trace_event_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = OURS "event",
    .summary = "A moment of a trace that no other kind has a place for.",
    .fields = event_fields,
    .n_fields = G_N_ELEMENTS(event_fields),
};

static const StrobeField flow_fields[] = {
    FIELD("category", STRING, "", "Category of the arrow."),
    FIELD("number", U64, "", "Id that the points of an arrow share, where it is a number."),
    FIELD("id", STRING, "", "The same, where it is none."),
    FIELD("phase", U8, "", "0 begin, 1 step, 2 end."),
    FIELD("is_enclosing", BOOL, "", "It is bound to the span around it, not to the next one."),
};
const StrobeKind chrome_trace_flow_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = OURS "flow",
    .summary = "One point of an arrow, as the source drew it.",
    .fields = flow_fields,
    .n_fields = G_N_ELEMENTS(flow_fields),
};

static const StrobeField stack_fields[] = {
    FIELD("stack", STACK, "", "Call stack."),
    FIELD("is_end", BOOL, "", "It is that of the event's end."),
};
const StrobeKind chrome_trace_stack_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_INSTANT,
    .name = OURS "stack",
    .summary = "Call stack of an event whose own kind has no place for it.",
    .fields = stack_fields,
    .n_fields = G_N_ELEMENTS(stack_fields),
};

#define ROW(kind_, fields_) {kind_, fields_, G_N_ELEMENTS(fields_)}

const SortRow sort_rows[N_SORTS] = {
    [SORT_OPERATOR] = ROW(&strobe_kind_cpu_op, operator_fields),
    [SORT_STEP] = ROW(&strobe_kind_step, mark_fields),
    [SORT_MARKER] = ROW(&strobe_kind_marker, mark_fields),
    [SORT_PYTHON] = ROW(&strobe_kind_python_call, python_fields),
    [SORT_CALL] = ROW(&strobe_kind_api_call, call_fields),
    [SORT_TASK] = ROW(&strobe_kind_device_task, task_fields),
    [SORT_COMMUNICATION] = ROW(&strobe_kind_comm_op, communication_fields),
    [SORT_MEMORY] = ROW(&strobe_kind_memory_event, memory_fields),
    [SORT_COUNTER] = ROW(&strobe_kind_counter, counter_fields),
    [SORT_FLOW] = {&chrome_trace_flow_kind},
    [SORT_SPAN] = {&chrome_trace_span_kind},
    [SORT_EVENT] = {&chrome_trace_event_kind},
    [SORT_STACK] = {&chrome_trace_stack_kind},
    [SORT_METADATA] = {&strobe_kind_metadata},
    [SORT_DEVICE] = {&strobe_kind_device_info},
};

const StrobeKind *const chrome_trace_kinds[N_SORTS] = {
    [SORT_OPERATOR] = &strobe_kind_cpu_op,       [SORT_STEP] = &strobe_kind_step,
    [SORT_MARKER] = &strobe_kind_marker,         [SORT_PYTHON] = &strobe_kind_python_call,
    [SORT_CALL] = &strobe_kind_api_call,         [SORT_TASK] = &strobe_kind_device_task,
    [SORT_COMMUNICATION] = &strobe_kind_comm_op, [SORT_MEMORY] = &strobe_kind_memory_event,
    [SORT_COUNTER] = &strobe_kind_counter,       [SORT_FLOW] = &chrome_trace_flow_kind,
    [SORT_SPAN] = &chrome_trace_span_kind,       [SORT_EVENT] = &chrome_trace_event_kind,
    [SORT_STACK] = &chrome_trace_stack_kind,     [SORT_METADATA] = &strobe_kind_metadata,
    [SORT_DEVICE] = &strobe_kind_device_info,
};

guint sort_of_category(const char *text, gsize length)
{
    const char *kind = kineto_kind_of(text, length);

    for (guint i = 0; kind && i < N_SORTS; i++)
        if (i != SORT_STEP && !strcmp(chrome_trace_kinds[i]->name, kind))
            return i;
    return SORT_SPAN;
}

/* As the host makes them. */
static void put_absent(char *at, guint32 type)
{
    const guint64 u64 = STROBE_ABSENT_U64;
    const gint64 i64 = STROBE_ABSENT_I64;
    const guint32 u32 = STROBE_ABSENT_U32;
    const gint32 i32 = STROBE_ABSENT_I32;
    const double f64 = STROBE_ABSENT_F64;

    if (type == STROBE_FIELD_U64 || type == STROBE_FIELD_LINK)
        memcpy(at, &u64, sizeof u64);
    else if (type == STROBE_FIELD_I64)
        memcpy(at, &i64, sizeof i64);
    else if (type == STROBE_FIELD_U32)
        memcpy(at, &u32, sizeof u32);
    else if (type == STROBE_FIELD_I32)
        memcpy(at, &i32, sizeof i32);
    else if (type == STROBE_FIELD_F64)
        memcpy(at, &f64, sizeof f64);
}

void *kind_absent_fields(const StrobeKind *kind)
{
    char *fields = g_malloc0(strobe_kind_offset(kind, kind->n_fields) + 8u);

    for (guint32 i = 0; i < kind->n_fields; i++)
        put_absent(fields + strobe_kind_offset(kind, i), kind->fields[i].type);
    return fields;
}
