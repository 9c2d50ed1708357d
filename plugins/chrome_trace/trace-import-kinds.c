/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-import-kinds.h"

#define OURS KINETO_OURS

/* Fields that every Kineto event has. */
#define EXTERNAL_FIELDS                                                                            \
    STROBE_FIELD(OURS "external_id", U64, "",                                                      \
                 "Id that an operator shares with the events that it causes."),                    \
        STROBE_FIELD(OURS "event_index", I64, "", "Number of the event in the trace."),            \
        STROBE_FIELD(OURS "arguments", STRING, "", "Arguments without another field, as JSON.")

/* Fields of a Kineto kernel. */
#define KERNEL_FIELDS                                                                              \
    STROBE_FIELD(OURS "queued", U64, "", "Time when the kernel was queued, as in the source."),    \
        STROBE_FIELD(OURS "context", U64, "", "Context on the device."),                           \
        STROBE_FIELD(OURS "registers", U64, "", "Registers of a thread."),                         \
        STROBE_FIELD(OURS "shared_memory", U64, "B", "Shared memory of a block."),                 \
        STROBE_FIELD(OURS "blocks_per_sm", F64, "", "Blocks of a multiprocessor."),                \
        STROBE_FIELD(OURS "warps_per_sm", F64, "", "Warps of a multiprocessor."),                  \
        STROBE_FIELD(OURS "occupancy", F64, "%", "Estimated occupancy that was achieved.")

static const StrobeField operator_fields[] = {
    EXTERNAL_FIELDS,
    STROBE_FIELD(OURS "record_function", U64, "",
                 "Id of the framework's record function for this event."),
    STROBE_FIELD(OURS "strides", STRING, "", "Strides of the inputs, as JSON."),
    STROBE_FIELD(OURS "concrete_inputs", STRING, "", "Values of the inputs, as JSON."),
    STROBE_FIELD(OURS "module_hierarchy", STRING, "", "Modules in which the operator runs."),
};
static const StrobeField mark_fields[] = {
    EXTERNAL_FIELDS,
    STROBE_FIELD(OURS "record_function", U64, "",
                 "Id of the framework's record function for this event."),
};
static const StrobeField python_fields[] = {EXTERNAL_FIELDS};
static const StrobeField call_fields[] = {
    EXTERNAL_FIELDS,
    STROBE_FIELD(OURS "callback", U64, "", "Number of the called function (cbid)."),
};
static const StrobeField task_fields[] = {
    EXTERNAL_FIELDS,
    KERNEL_FIELDS,
};
static const StrobeField communication_fields[] = {
    EXTERNAL_FIELDS,
    KERNEL_FIELDS,
    STROBE_FIELD(OURS "grid", STRING, "", "Grid of the kernel."),
    STROBE_FIELD(OURS "block", STRING, "", "Block of the kernel."),
};
static const StrobeField memory_fields[] = {
    STROBE_FIELD(OURS "event_index", I64, "", "Number of the event in the trace."),
    STROBE_FIELD(OURS "device_type", I32, "", "Type of device: 0 CPU, 1 CUDA."),
    STROBE_FIELD(OURS "arguments", STRING, "", "Arguments without another field, as JSON."),
};
static const StrobeField counter_fields[] = {
    STROBE_FIELD(OURS "series", STRING, "", "Name of the value within the counter."),
    STROBE_FIELD(OURS "category", STRING, "", "Category of the event."),
    STROBE_FIELD(OURS "id", STRING, "", "Id of the counter."),
};

static const StrobeField span_fields[] = {
    STROBE_FIELD("category", STRING, "", "Category of the event."),
    STROBE_FIELD("id", STRING, "", "Id of an asynchronous event."),
    STROBE_FIELD("arguments", STRING, "", "Arguments, as JSON."),
    STROBE_FIELD("phase", STRING, "", "Phase of the event that began the span: X, B, b or S."),
    STROBE_FIELD("stack", STACK, "", "Call stack at the begin."),
    STROBE_FIELD("unfinished", BOOL, "",
                 "The source has no end of the span; its end is the end of the trace."),
};
const StrobeKind chrome_trace_span_kind =
    STROBE_KIND(OURS "span", SPAN, span_fields, "A span of a trace that fits no other kind.");

static const StrobeField event_fields[] = {
    STROBE_FIELD("phase", STRING, "", "Phase of the event."),
    STROBE_FIELD("category", STRING, "", "Category of the event."),
    STROBE_FIELD("id", STRING, "", "Id of the event."),
    STROBE_FIELD("scope", STRING, "", "Scope: g, p or t."),
    STROBE_FIELD("arguments", STRING, "", "Arguments, as JSON."),
    STROBE_FIELD("stack", STACK, "", "Call stack."),
    STROBE_FIELD("duration", F64, "us", "Duration, if the event has one."),
};
const StrobeKind chrome_trace_event_kind =
    STROBE_KIND(OURS "event", INSTANT, event_fields,
                "An event of a trace that is neither span nor counter and fits no other kind.");

static const StrobeField flow_fields[] = {
    STROBE_FIELD("category", STRING, "", "Category of the flow."),
    STROBE_FIELD("number", U64, "", "Id that the events of a flow share, if it is a number."),
    STROBE_FIELD("id", STRING, "", "Id that the events of a flow share, if it is not a number."),
    STROBE_FIELD("phase", U8, "", "0 begin, 1 step, 2 end."),
    STROBE_FIELD("is_enclosing", BOOL, "",
                 "The event belongs to the span around it, not to the next span."),
};
const StrobeKind chrome_trace_flow_kind =
    STROBE_KIND(OURS "flow", INSTANT, flow_fields, "One event of a flow in the source.");

static const StrobeField stack_fields[] = {
    STROBE_FIELD("stack", STACK, "", "Call stack."),
    STROBE_FIELD("is_end", BOOL, "", "The stack is that of the event's end."),
};
const StrobeKind chrome_trace_stack_kind =
    STROBE_KIND(OURS "stack", INSTANT, stack_fields,
                "Call stack of an event whose own kind has no field for it.");

#define ROW(kind_, fields_) {kind_, fields_, G_N_ELEMENTS(fields_)}

const SortRow sort_rows[N_RECORD_TYPES] = {
    [RECORD_OPERATOR] = ROW(&strobe_kind_cpu_op, operator_fields),
    [RECORD_STEP] = ROW(&strobe_kind_step, mark_fields),
    [RECORD_MARKER] = ROW(&strobe_kind_marker, mark_fields),
    [RECORD_PYTHON] = ROW(&strobe_kind_python_call, python_fields),
    [RECORD_CALL] = ROW(&strobe_kind_api_call, call_fields),
    [RECORD_TASK] = ROW(&strobe_kind_device_task, task_fields),
    [RECORD_COMMUNICATION] = ROW(&strobe_kind_comm_op, communication_fields),
    [RECORD_MEMORY] = ROW(&strobe_kind_memory_event, memory_fields),
    [RECORD_COUNTER] = ROW(&strobe_kind_counter, counter_fields),
    [RECORD_FLOW] = {&chrome_trace_flow_kind},
    [RECORD_SPAN] = {&chrome_trace_span_kind},
    [RECORD_EVENT] = {&chrome_trace_event_kind},
    [RECORD_STACK] = {&chrome_trace_stack_kind},
    [RECORD_METADATA] = {&strobe_kind_metadata},
    [RECORD_DEVICE] = {&strobe_kind_device_info},
};

const StrobeKind *const chrome_trace_kinds[N_RECORD_TYPES] = {
    [RECORD_OPERATOR] = &strobe_kind_cpu_op,       [RECORD_STEP] = &strobe_kind_step,
    [RECORD_MARKER] = &strobe_kind_marker,         [RECORD_PYTHON] = &strobe_kind_python_call,
    [RECORD_CALL] = &strobe_kind_api_call,         [RECORD_TASK] = &strobe_kind_device_task,
    [RECORD_COMMUNICATION] = &strobe_kind_comm_op, [RECORD_MEMORY] = &strobe_kind_memory_event,
    [RECORD_COUNTER] = &strobe_kind_counter,       [RECORD_FLOW] = &chrome_trace_flow_kind,
    [RECORD_SPAN] = &chrome_trace_span_kind,       [RECORD_EVENT] = &chrome_trace_event_kind,
    [RECORD_STACK] = &chrome_trace_stack_kind,     [RECORD_METADATA] = &strobe_kind_metadata,
    [RECORD_DEVICE] = &strobe_kind_device_info,
};

guint type_of_category(const char *text, gsize length)
{
    const char *kind = kineto_kind_of(text, length);

    for (guint i = 0; kind && i < N_RECORD_TYPES; i++)
        if (i != RECORD_STEP && !strcmp(chrome_trace_kinds[i]->name, kind))
            return i;
    return RECORD_SPAN;
}

/* Sets a field to its absent value, as the host does. */
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
