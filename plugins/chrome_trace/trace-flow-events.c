/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-flow-events.h"

#include "events.h"

/* number of open connections that are kept, the same as in the exporters */
#define SLOTS (1u << 16)

typedef struct End {
    Row *row; /* NULL: the end has not come */
    gint64 time;
    StrobeStringId name, category;
    guint8 is_enclosing;
} End;

typedef struct Slot {
    guint64 connection;
    gboolean has_task;
    End ends[2]; /* the begin (s) and the end (f) */
} Slot;

struct FlowEvents {
    Slot slots[SLOTS];
};

void flow_events_free(FlowEvents *flow_events)
{
    g_free(flow_events);
}

static void emit_end(Import *import, const Slot *slot, guint number)
{
    const End *end = &slot->ends[number];
    struct chrome_trace_flow *fields = import_emit(
        import, RECORD_FLOW, rows_track(import->rows, end->row), end->name, end->time, end->time);

    if (!fields)
        return;
    fields->category = end->category;
    fields->number = slot->connection;
    fields->phase = number ? 2 : 0;
    fields->is_enclosing = end->is_enclosing;
}

static gboolean is_kept(const Slot *slot)
{
    return !slot->has_task && slot->ends[0].row && slot->ends[1].row;
}

static Slot *slot_of(Import *import, guint64 connection)
{
    Slot *slot;

    if (!import->flow_events)
        import->flow_events = g_new0(FlowEvents, 1);
    slot = &import->flow_events->slots[connection % SLOTS];
    if (slot->connection != connection) {
        for (guint n = 0; n < 2 && is_kept(slot) && !import->is_full; n++)
            emit_end(import, slot, n);
        *slot = (Slot){.connection = connection};
    }
    return slot;
}

void flow_events_note_task(Import *import, guint64 connection)
{
    if (connection != STROBE_ABSENT_U64)
        slot_of(import, connection)->has_task = TRUE;
}

void flow_events_take(Import *import, Row *row, const Event *event, gint64 time)
{
    guint64 connection;
    End *end;

    if (!value_to_uint(&event->id, &connection) || connection == STROBE_ABSENT_U64)
        return;
    end = &slot_of(import, connection)->ends[event->phase.text[0] != 's'];
    *end = (End){.row = row,
                 .time = time,
                 .name = import_intern(import, &event->name),
                 .category = import_intern(import, &event->category),
                 .is_enclosing = VALUE_IS(&event->bind, "e")};
}

static gint compare_ends(gconstpointer a, gconstpointer b, gpointer number)
{
    const guint n = GPOINTER_TO_UINT(number);
    const Slot *x = *(Slot *const *)a, *y = *(Slot *const *)b;

    if (x->ends[n].time != y->ends[n].time)
        return x->ends[n].time < y->ends[n].time ? -1 : 1;
    return x->connection < y->connection ? -1 : x->connection > y->connection;
}

void flow_events_finish(Import *import)
{
    g_autoptr(GPtrArray) kept = g_ptr_array_new();

    for (guint i = 0; import->flow_events && i < SLOTS; i++)
        if (is_kept(&import->flow_events->slots[i]))
            g_ptr_array_add(kept, &import->flow_events->slots[i]);
    /* emits in the order of times, so that the host need not sort the records */
    for (guint n = 0; n < 2; n++) {
        g_ptr_array_sort_with_data(kept, compare_ends, GUINT_TO_POINTER(n));
        for (guint i = 0; i < kept->len && !import->is_full; i++)
            emit_end(import, kept->pdata[i], n);
    }
}
