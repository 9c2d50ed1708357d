/* SPDX-License-Identifier: Apache-2.0 */
#include "cut-flows.h"

#include <strobe/helpers/keyed-hash.h>

typedef struct Flow {
    gboolean has_begin, has_end;
    GString *waiting; /* events of one end that wait for the other end */
} Flow;

struct FlowMatcher {
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

FlowMatcher *flow_matcher_new(void)
{
    FlowMatcher *matcher = g_new0(FlowMatcher, 1);

    matcher->flows = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, free_flow);
    trace_out_init(&matcher->event, NULL);
    return matcher;
}

void flow_matcher_free(FlowMatcher *matcher)
{
    if (!matcher)
        return;
    g_hash_table_unref(matcher->flows);
    trace_out_clear(&matcher->event);
    g_free(matcher);
}

TraceOut *flow_matcher_event(FlowMatcher *matcher)
{
    matcher->event.used = 0;
    return &matcher->event;
}

static void put_bytes(TraceOut *out, const char *bytes, gsize length)
{
    trace_out_sink(out, bytes, length);
    out->has_events = TRUE;
}

void flow_matcher_take(FlowMatcher *matcher, const char *category, const char *id, gsize length,
                       guint phase, TraceOut *out)
{
    char *key = g_strdup_printf("%s %.*s", category, (int)length, id);
    Flow *flow = g_hash_table_lookup(matcher->flows, key);

    if (flow) {
        g_free(key);
    } else {
        flow = g_new0(Flow, 1);
        g_hash_table_insert(matcher->flows, key, flow);
    }
    flow->has_begin |= phase == FLOW_BEGIN;
    flow->has_end |= phase == FLOW_END;
    if (!flow->has_begin || !flow->has_end) {
        flow->waiting = flow->waiting ? flow->waiting : g_string_new(NULL);
        g_string_append_len(flow->waiting, matcher->event.bytes, (gssize)matcher->event.used);
        return;
    }
    if (flow->waiting) {
        put_bytes(out, flow->waiting->str, flow->waiting->len);
        g_string_free(flow->waiting, TRUE);
        flow->waiting = NULL;
    }
    put_bytes(out, matcher->event.bytes, matcher->event.used);
}
