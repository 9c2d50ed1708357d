/* SPDX-License-Identifier: Apache-2.0 */
#include "stored-trace.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define BEGINS_MAX 65536u

enum { FLOW_NPU, FLOW_BACKWARD, FLOW_QUEUE, FLOWS };

typedef struct Begin {
    gint64 time_ns, id;
    guint flow;
    StrobeTrackId track;
} Begin;

static guint hash_begin(gconstpointer key)
{
    const Begin *begin = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), (guint64)begin->id, begin->flow);
}

static gboolean equal_begins(gconstpointer a, gconstpointer b)
{
    const Begin *x = a, *y = b;

    return x->id == y->id && x->flow == y->flow;
}

void stored_trace_init(StoredTrace *stored, Import *import, Layers *layers)
{
    *stored = (StoredTrace){.import = import, .layers = layers};
    stored->begins = g_hash_table_new(hash_begin, equal_begins);
    g_queue_init(&stored->order);
}

void stored_trace_clear(StoredTrace *stored)
{
    g_hash_table_unref(stored->begins);
    g_queue_clear_full(&stored->order, g_free);
}

void stored_trace_overlap(StoredTrace *stored, const TraceEvent *event, Row *row, gint64 begin_ns,
                          gint64 end_ns)
{
    static const char *const names[] = {"Computing", "Communication",
                                        "Communication(Not Overlapped)", "Free"};
    Import *import = stored->import;
    struct strobe_overlap *fields;

    if (!import->wants_derived)
        return;
    fields = text_import_emit(import, &strobe_kind_overlap, layers_track(stored->layers, row),
                              text_import_intern(import, event->name), begin_ns, end_ns);
    if (!fields)
        return;
    fields->device = row->layer->device;
    for (guint32 i = 0; i < G_N_ELEMENTS(names); i++)
        if (!strcmp(event->name, names[i]))
            fields->type = i;
}

/* ---- flow events ---- */

static void add_begin(StoredTrace *stored, const Begin *begin)
{
    Begin *known = g_hash_table_lookup(stored->begins, begin);

    if (known) {
        *known = *begin;
        return;
    }
    if (stored->order.length >= BEGINS_MAX) {
        Begin *oldest = g_queue_pop_head(&stored->order);

        g_hash_table_remove(stored->begins, oldest);
        g_free(oldest);
    }
    known = g_memdup2(begin, sizeof *begin);
    g_queue_push_tail(&stored->order, known);
    g_hash_table_add(stored->begins, known);
}

static void emit_kernel_link(Import *import, const Begin *from, StrobeTrackId track, gint64 time_ns)
{
    struct strobe_kernel_link *fields = text_import_emit(
        import, &strobe_kind_kernel_link, from->track, 0, from->time_ns, from->time_ns);

    if (!fields)
        return;
    fields->to_begin = time_ns;
    fields->to_track = track;
}

static void emit_operator_link(Import *import, const Begin *from, StrobeTrackId track,
                               gint64 time_ns)
{
    struct strobe_operator_link *fields = text_import_emit(
        import, &strobe_kind_operator_link, from->track, 0, from->time_ns, from->time_ns);

    if (!fields)
        return;
    fields->sequence = from->id;
    fields->to_begin = time_ns;
    fields->to_track = track;
}

static void join_flow(StoredTrace *stored, const Begin *end)
{
    const Begin *from = g_hash_table_lookup(stored->begins, end);

    if (!from)
        import_damage(stored->import, TRACE_NAME, "flow", (guint64)end->id, "an end without begin");
    else if (end->flow == FLOW_NPU)
        emit_kernel_link(stored->import, from, end->track, end->time_ns);
    else
        emit_operator_link(stored->import, from, end->track, end->time_ns);
}

gboolean stored_trace_flow(StoredTrace *stored, const TraceEvent *event, StrobeTrackId track,
                           gint64 time_ns)
{
    static const char *const categories[FLOWS] = {"async_npu", "fwdbwd", "async_task_queue"};
    Begin point = {.time_ns = time_ns, .track = track};

    for (point.flow = 0; point.flow < FLOWS; point.flow++)
        if (!strcmp(event->category, categories[point.flow]))
            break;
    if (point.flow == FLOWS)
        return FALSE;
    if (!stored->import->wants_derived || point.flow == FLOW_QUEUE)
        return TRUE;
    if (!g_ascii_string_to_signed(event->id, 10, G_MININT64, G_MAXINT64, &point.id, NULL))
        import_damage(stored->import, TRACE_NAME, "before offset", event->offset,
                      "expected a number as id of a flow");
    else if (event->phase[0] == 's')
        add_begin(stored, &point);
    else
        join_flow(stored, &point);
    return TRUE;
}
