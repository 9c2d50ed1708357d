/* SPDX-License-Identifier: Apache-2.0 */
#include "launch-flows.h"

#include <strobe/helpers/fields.h>
#include <strobe/helpers/number.h>

/* Maximum number of connections that wait. Calls and tasks with the same connection belong
 * together; either of them may end first. */
#define SLOTS (1u << 16)

/* Id of a flow event. The id of a task in older files needs this many bits. */
typedef unsigned __int128 FlowId;

typedef struct Slot {
    guint64 connection;
    const TraceRow *row; /* row of the call; NULL: no call has come, or its flow event is written */
    gint64 begin_ns;
    /* in older files: id of the last flow event, or of the task that waits for its call */
    FlowId id;
    gboolean is_wanted; /* a task of this connection has arrived */
    gboolean is_drawn;
    gboolean has_end; /* in newer files: a flow event of this connection ends at a task */
} Slot;

/* Properties of a name that decide about flow events. */
enum { NAME_COPY = 1, NAME_EVENT = 2, NAME_RECORD_OR_WAIT = 4 };

#define NAMES 1024u

typedef struct Name {
    /* 0: the slot is empty, or the record has no name; then there are no properties */
    StrobeStringId id;
    guint says; /* NAME_* */
} Name;

struct TraceLaunches {
    Name names[NAMES]; /* a hash table; a new name replaces the one in its slot */
    Slot slots[SLOTS];
};

void launches_free(TraceLaunches *launches)
{
    g_free(launches);
}

static TraceLaunches *launches_of(ChromeTrace *trace)
{
    if (!trace->launches) {
        /* Writes the whole memory at once. A page that is first read and later written would be
         * mapped twice, and the second mapping would interrupt the other processors. */
        trace->launches = g_new(TraceLaunches, 1);
        memset(trace->launches, 0, sizeof *trace->launches);
    }
    return trace->launches;
}

/* Writes a number of 128 bits in decimal, 18 digits at a time, because a division of 128 bits is a
 * function call. */
static gsize write_wide(char *text, FlowId value)
{
    const guint64 part = 1000000000000000000u;
    char digits[STROBE_NUMBER_MAX];
    gsize length;

    if (!(value >> 64))
        return strobe_format_uint(text, (guint64)value);
    length = write_wide(text, value / part);
    /* adds a leading 1, so that leading zeros are written as well, and then skips it */
    memcpy(text + length, digits + 1,
           strobe_format_uint(digits, (guint64)(value % part) + part) - 1);
    text[length + 18] = '\0';
    return length + 18;
}

static void compose_launch(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                           const TraceRow *row)
{
    TraceOut *out = trace->matcher ? trace_part_text(&trace->flows) : &trace->main;
    char text[TRACE_FLOW_TEXT];
    FlowId id;

    memcpy(&id, record->fields, sizeof id);
    write_wide(text, id);
    trace_flow_device(trace, out, "HostToDevice", text, record->flags != 0, row, record->begin_ns);
}

const TraceKind *launches_kind(ChromeTrace *trace)
{
    return trace_kind_own(trace, compose_launch);
}

/* Adds an end of a flow event. The end waits as a number in the part for these events. If the trace
 * is only a part of a result, the flow matcher gets the text of the end instead, and writes it
 * together with the other end. */
static void add_flow_event(ChromeTrace *trace, FlowId id, gboolean is_end, const TraceRow *row,
                           gint64 time_ns)
{
    const StrobeView view = {
        .fields = &id, .begin_ns = time_ns, .end_ns = time_ns, .flags = (guint32)is_end};

    if (trace->matcher)
        compose_launch(trace, NULL, &view, row);
    else
        trace_part_add_record(&trace->flows, 0, trace->launch_kind, sizeof id, row, &view);
}

/* Returns the id of the flow event of a connection. Shifts the whole connection, because its upper
 * bits identify the source. */
static FlowId shift_id(guint64 connection)
{
    return (FlowId)connection << 32;
}

/* Returns the id of a flow event that ends at this task. The newest files have one form of id for
 * all tasks; in older files the form depends on the type of the task. */
static FlowId id_of(const ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                    const StrobeView *record, guint64 connection)
{
    gboolean is_kernel =
        events->layer == ASCEND_LAYER_HARDWARE && strobe_field_u8(record, events->is_kernel, 0);

    if (!trace->is_old)
        return shift_id(connection);
    if (events->layer == ASCEND_LAYER_COMMUNICATION)
        return (connection << 32) - 1;
    if (!is_kernel)
        return connection;
    return ((FlowId)MAX(row->layer->device, 0) << 80) +
           ((FlowId)strobe_field_u32(record, events->stream, 0) << 64) +
           ((FlowId)strobe_field_u32(record, events->task_id, 0) << 48) +
           ((FlowId)strobe_field_u32(record, events->batch, 0) << 32) +
           strobe_field_u32(record, events->context, STROBE_ABSENT_U32);
}

static void draw_begin(ChromeTrace *trace, Slot *slot, FlowId id)
{
    add_flow_event(trace, id, FALSE, slot->row, slot->begin_ns);
    slot->is_drawn = TRUE;
}

/* Begins the flow event of a connection at the call in the slot, if a flow event ends at a task and
 * no call of the node level has begun it. */
static void finish_slot(ChromeTrace *trace, Slot *slot)
{
    if (slot->has_end && slot->row && !slot->is_drawn)
        draw_begin(trace, slot, shift_id(slot->connection));
}

static Slot *slot_of(ChromeTrace *trace, guint64 connection)
{
    Slot *slot = &launches_of(trace)->slots[connection & (SLOTS - 1)];

    if (slot->connection != connection) {
        finish_slot(trace, slot);
        *slot = (Slot){.connection = connection};
    }
    return slot;
}

void launches_finish(ChromeTrace *trace)
{
    for (guint i = 0; trace->launches && i < SLOTS; i++)
        finish_slot(trace, &trace->launches->slots[i]);
}

static guint look_at(ChromeTrace *trace, StrobeStringId id)
{
    const char *text = trace->host->string(trace->self, id).bytes;

    return (strstr(text, "MEMCPY_ASYNC") ? NAME_COPY : 0) |
           (strstr(text, "EVENT_RECORD") || strstr(text, "EVENT_WAIT") ? NAME_EVENT : 0) |
           (strstr(text, "aclrtRecordEvent") || strstr(text, "aclrtStreamWaitEvent")
                ? NAME_RECORD_OR_WAIT
                : 0);
}

static gboolean has_name_flag(ChromeTrace *trace, StrobeStringId id, guint what)
{
    Name *name = &launches_of(trace)->names[id % NAMES];

    if (name->id != id)
        *name = (Name){id, look_at(trace, id)};
    return (name->says & what) != 0;
}

/* Returns whether the call always begins a flow event, even if no flow event ends at a task. */
static gboolean is_launch(ChromeTrace *trace, const TraceEvents *events, const StrobeView *record)
{
    StrobeStringId level = strobe_field_u32(record, events->level, 0);

    return !strcmp(trace->host->string(trace->self, level).bytes, "node") ||
           has_name_flag(trace, record->name, NAME_RECORD_OR_WAIT);
}

/* Processes a call for a device that is not an Ascend device. The first call of a connection that
 * ends is the cause of the tasks: the flow event begins at this call, if there is a task. */
static void take_external_call(ChromeTrace *trace, const TraceRow *row, const StrobeView *record,
                               guint64 connection)
{
    Slot *slot = slot_of(trace, connection);

    if (slot->row)
        return;
    slot->row = row;
    slot->begin_ns = record->begin_ns;
    if (slot->is_wanted)
        draw_begin(trace, slot, shift_id(connection));
}

static void take_external_task(ChromeTrace *trace, const TraceRow *row, const StrobeView *record,
                               guint64 connection)
{
    Slot *slot = slot_of(trace, connection);

    if (slot->row && !slot->is_drawn)
        draw_begin(trace, slot, shift_id(connection));
    slot->is_wanted = TRUE;
    add_flow_event(trace, shift_id(connection), TRUE, row, record->begin_ns);
}

static void draw_old_begin(ChromeTrace *trace, Slot *slot, FlowId id)
{
    draw_begin(trace, slot, id);
    slot->id = id;
}

/* Processes a call for older files, whose ids identify the task: the flow event is written when
 * both the call and the task have come, in any order. */
static void take_old_call(ChromeTrace *trace, Slot *slot)
{
    if (slot->is_wanted)
        draw_old_begin(trace, slot, slot->id);
    slot->is_wanted = FALSE;
}

static void take_old_task(ChromeTrace *trace, Slot *slot, FlowId id)
{
    gboolean is_new = !slot->is_drawn || slot->id != id;

    if (slot->row && is_new) {
        draw_old_begin(trace, slot, id);
    } else if (!slot->row) {
        slot->id = id;
        slot->is_wanted = TRUE;
    }
}

static void take_call(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                      const StrobeView *record, guint64 connection)
{
    Slot *slot = slot_of(trace, connection);

    if (slot->is_drawn)
        return;
    slot->row = row;
    slot->begin_ns = record->begin_ns;
    if (trace->is_old) {
        take_old_call(trace, slot);
        return;
    }
    if (!slot->is_wanted && !is_launch(trace, events, record))
        return;
    draw_begin(trace, slot, shift_id(connection));
}

/* Returns whether a flow event ends at the task: at kernels, copies, collectives, and signals and
 * waits between streams. */
static gboolean has_flow_event(ChromeTrace *trace, const TraceEvents *events,
                               const StrobeView *record)
{
    if (events->layer == ASCEND_LAYER_COMMUNICATION)
        return TRUE;
    return strobe_field_u8(record, events->is_kernel, 0) ||
           has_name_flag(trace, record->name, NAME_COPY | NAME_EVENT);
}

static void take_task(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                      const StrobeView *record, guint64 connection)
{
    Slot *slot = slot_of(trace, connection);
    FlowId id = id_of(trace, events, row, record, connection);
    gboolean is_copy = has_name_flag(trace, record->name, NAME_COPY);

    if (trace->is_old)
        take_old_task(trace, slot, id);
    else if (!slot->is_drawn && slot->row && is_copy)
        draw_begin(trace, slot, id);
    slot->has_end |= !trace->is_old;
    slot->is_wanted |= !trace->is_old && is_copy;
    add_flow_event(trace, id, TRUE, row, record->begin_ns);
}

void launches_take(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                   const StrobeView *record)
{
    guint64 connection = strobe_field_u64(record, events->connection, STROBE_ABSENT_U64);

    /* The connections 0, STROBE_ABSENT_U32 and STROBE_ABSENT_U64 mean that the record has none. A
     * transfer has no flow event of its own, because its operation has one. */
    if (trace->has_flow_points || connection == STROBE_ABSENT_U64 || !connection ||
        connection == STROBE_ABSENT_U32)
        return;
    gboolean is_external = !row->layer->known;
    if (events->layer == ASCEND_LAYER_CANN && is_external)
        take_external_call(trace, row, record, connection);
    else if (events->layer == ASCEND_LAYER_HARDWARE && is_external)
        take_external_task(trace, row, record, connection);
    else if (events->layer == ASCEND_LAYER_CANN)
        take_call(trace, events, row, record, connection);
    else if ((events->layer == ASCEND_LAYER_HARDWARE && has_flow_event(trace, events, record)) ||
             (events->layer == ASCEND_LAYER_COMMUNICATION && !events->is_transfer))
        take_task(trace, events, row, record, connection);
}
