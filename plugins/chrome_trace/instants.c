/* SPDX-License-Identifier: Apache-2.0 */
/* Imports events without an end: flow events, counters, allocations, instant events. */
#include "trace-flow-events.h"
#include "events.h"
#include "stack-frames.h"

static gboolean is_to_device(const StrobeJsonValue *category)
{
    return VALUE_IS(category, "ac2g") || VALUE_IS(category, "async_cpu_to_gpu") ||
           VALUE_IS(category, "async_gpu");
}

/* Emits the stacks of an event whose record has no field for them. */
static void emit_stacks(Import *import, Row *row, const Event *event, gint64 begin)
{
    if (G_LIKELY(!event_has_stack(event)))
        return;
    const Stacks stacks = stacks_of_event(import, event);
    stacks_emit(import, &stacks, rows_track(import->rows, row), import_intern(import, &event->name),
                begin, begin);
}

void take_flow(Import *import, Row *row, const Event *event, gint64 begin)
{
    struct chrome_trace_flow *fields;

    /* not imported, because exporters make these flow events from the ids of the operators */
    if (VALUE_IS(&event->category, "fwdbwd"))
        return;
    if (is_to_device(&event->category)) {
        flow_events_take(import, row, event, begin);
        return;
    }
    emit_stacks(import, row, event, begin);
    fields = import_emit(import, RECORD_FLOW, rows_track(import->rows, row),
                         import_intern(import, &event->name), begin, begin);
    if (!fields)
        return;
    fields->category = import_intern(import, &event->category);
    if (event->id.type != STROBE_JSON_NUMBER || !value_to_uint(&event->id, &fields->number) ||
        fields->number == STROBE_ABSENT_U64) {
        fields->number = STROBE_ABSENT_U64;
        fields->id = import_intern(import, &event->id);
    }
    fields->phase = event->phase.text[0] == 's' ? 0 : event->phase.text[0] == 't' ? 1 : 2;
    fields->is_enclosing = VALUE_IS(&event->bind, "e");
}

void take_counter(Import *import, Row *row, const Event *event, gint64 begin)
{
    const RecordType *record_type = &import->record_types[RECORD_COUNTER];

    emit_stacks(import, row, event, begin);
    for (guint i = 0; i < event->n_args && !import->is_full; i++) {
        double value;
        void *fields;
        StrobeStringId ids[3];
        static const char *const names[] = {"chrome_trace.series", "chrome_trace.category",
                                            "chrome_trace.id"};

        if (!value_to_double(&event->arg[i].value, &value)) {
            import_damage(import, event, "the value of a counter is not a number");
            continue;
        }
        fields = import_emit(import, RECORD_COUNTER, rows_track(import->rows, row),
                             import_intern(import, &event->name), begin, begin);
        if (!fields)
            return;
        ((struct strobe_counter *)fields)->value = value;
        ids[0] = import_intern(import, &event->arg[i].key);
        ids[1] = import_intern(import, &event->category);
        ids[2] = import_intern(import, &event->id);
        for (guint k = 0; k < G_N_ELEMENTS(ids); k++)
            memcpy(import_field(record_type, names[k], fields), &ids[k], sizeof ids[k]);
    }
}

void take_memory(Import *import, Row *row, const Event *event, gint64 begin)
{
    const RecordType *record_type = &import->record_types[RECORD_MEMORY];
    struct strobe_memory_event *fields;
    gint32 type;

    emit_stacks(import, row, event, begin);
    fields = import_emit(import, RECORD_MEMORY, rows_track(import->rows, row), 0, begin, begin);
    if (!fields)
        return;
    import_fill(import, RECORD_MEMORY, event, fields);
    if (fields->size != STROBE_ABSENT_I64)
        fields->action = fields->size < 0;
    memcpy(&type, import_field(record_type, "chrome_trace.device_type", fields), sizeof type);
    if (type == 0)
        fields->device = -1;
    /* the collector `memory` uses this name for PyTorch's own allocators, and other formats need
     * it */
    fields->component = import_intern_text(import, "PTA");
}

/* Fields of chrome_trace.event. */
struct instant {
    StrobeStringId phase, category, id, scope, arguments;
    StrobeStackId stack;
    double duration;
};

void take_instant(Import *import, Row *row, const Event *event, gint64 begin)
{
    StrobeTrackId track = rows_track(import->rows, row);
    StrobeStringId name = import_intern(import, &event->name);
    Stacks stacks = stacks_of_event(import, event);
    struct instant *fields = import_emit(import, RECORD_EVENT, track, name, begin, begin);

    if (!fields)
        return;
    fields->phase = import_intern(import, &event->phase);
    fields->category = import_intern(import, &event->category);
    fields->id = import_intern(import, &event->id);
    fields->scope = import_intern(import, &event->scope);
    fields->arguments = import_intern_arguments(import, event);
    if (event->dur.type && !value_to_double(&event->dur, &fields->duration))
        fields->duration = STROBE_ABSENT_F64;
    fields->stack = stacks.begin;
    stacks.begin = 0;
    stacks_emit(import, &stacks, track, name, begin, begin);
}
