/* SPDX-License-Identifier: Apache-2.0 */
#include "flow-gate.h"

#include <strobe/helpers/keyed-hash.h>

typedef struct Flow {
    gboolean has_begin, has_end;
    GString *waiting; /* events of the one end */
} Flow;

struct FlowGate {
    GHashTable *flows; /* by category and id */
    TraceOut event;
};

static void free_flow(gpointer data)
{
    Flow *flow = data;

    if (flow->waiting)
        g_string_free(flow->waiting, TRUE);
    g_free(flow);
}

FlowGate *flow_gate_new(void)
{
    FlowGate *gate = g_new0(FlowGate, 1);

    gate->flows = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, free_flow);
    trace_out_init(&gate->event, NULL);
    return gate;
}

void flow_gate_free(FlowGate *gate)
{
    if (!gate)
        return;
    g_hash_table_unref(gate->flows);
    trace_out_clear(&gate->event);
    g_free(gate);
}

TraceOut *flow_gate_event(FlowGate *gate)
{
    gate->event.used = 0;
    return &gate->event;
}

static void put_bytes(TraceOut *out, const char *bytes, gsize length)
{
    trace_out_sink(out, bytes, length);
    out->has_events = TRUE;
}

void flow_gate_take(FlowGate *gate, const char *category, const char *id, gsize length, guint phase,
                    TraceOut *out)
{
    char *key = g_strdup_printf("%s %.*s", category, (int)length, id);
    Flow *flow = g_hash_table_lookup(gate->flows, key);

    if (flow) {
        g_free(key);
    } else {
        flow = g_new0(Flow, 1);
        g_hash_table_insert(gate->flows, key, flow);
    }
    flow->has_begin |= phase == FLOW_BEGIN;
    flow->has_end |= phase == FLOW_END;
    if (!flow->has_begin || !flow->has_end) {
        flow->waiting = flow->waiting ? flow->waiting : g_string_new(NULL);
        g_string_append_len(flow->waiting, gate->event.bytes, (gssize)gate->event.used);
        return;
    }
    if (flow->waiting) {
        put_bytes(out, flow->waiting->str, flow->waiting->len);
        g_string_free(flow->waiting, TRUE);
        flow->waiting = NULL;
    }
    put_bytes(out, gate->event.bytes, gate->event.used);
}
