/* SPDX-License-Identifier: Apache-2.0 */
#include "timeline.h"

static gint compare_events(gconstpointer a, gconstpointer b)
{
    const TimelineEvent *x = a, *y = b;

    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return (x->action > y->action) - (x->action < y->action);
}

static void add_event(GArray *events, gint64 at_ns, guint action, const FlowBlock *block,
                      guint category, guint next)
{
    const TimelineEvent event = {.at_ns = at_ns,
                                 .bytes = block->bytes,
                                 .action = (guint8)action,
                                 .category = (guint8)category,
                                 .next = (guint8)next};

    g_array_append_val(events, event);
}

static void add_block(const Categories *c, GArray *events, guint32 index)
{
    const FlowBlock *block = flow_block(c->flow, index);
    guint category = category_of(c, index, 0);

    if (block->begin_ns == FLOW_BEFORE)
        add_event(events, -1, ACTION_PREEXISTING, block, category, category);
    else
        add_event(events, block->begin_ns, ACTION_CREATE, block, category, category);
    category = category_of(c, index, block->n_versions - 1);
    if (block->end_ns != FLOW_NEVER)
        add_event(events, block->end_ns, ACTION_DESTROY, block, category, category);
}

GArray *timeline_events(const Categories *c)
{
    GArray *events = g_array_new(FALSE, FALSE, sizeof(TimelineEvent));
    const Flow *flow = c->flow;

    for (guint i = 0; i < flow->blocks->len; i++)
        add_block(c, events, i);
    for (guint i = 0; i < flow->nodes->len; i++) {
        const FlowNode *node = flow_node(flow, i);
        const FlowEdge *edges = flow_edges(flow, node);

        for (guint k = 0; k < node->n_edges; k++) {
            const FlowEdge *edge = &edges[k];
            const FlowBlock *block = flow_block(flow, edge->block);

            if (edge->is_taken || !flow_has_output(edge))
                continue;
            /* a node of another thread may begin before the block or end after it */
            add_event(events, CLAMP(node->begin_ns, block->begin_ns, block->end_ns),
                      ACTION_INCREMENT_VERSION, block, category_of(c, edge->block, edge->version),
                      category_of(c, edge->block, flow_output(edge)));
        }
    }
    g_array_sort(events, compare_events);
    return events;
}

/* ---- samples ---- */

static void apply_event(TimelineSample *sample, const TimelineEvent *event)
{
    gint64 bytes = (gint64)event->bytes;

    switch (event->action) {
    case ACTION_DESTROY:
        sample->held[event->category] -= bytes;
        break;
    case ACTION_INCREMENT_VERSION:
        sample->held[event->category] -= bytes;
        sample->held[event->next] += bytes;
        break;
    default:
        sample->held[event->category] += bytes;
    }
}

GArray *timeline_samples(const GArray *events)
{
    GArray *samples = g_array_new(FALSE, FALSE, sizeof(TimelineSample));
    TimelineSample now = {0};

    for (guint i = 0; i < events->len; i++) {
        const TimelineEvent *event = &g_array_index(events, TimelineEvent, i);
        gint64 at_us = event->at_ns < 0 ? -1 : event->at_ns / 1000;

        apply_event(&now, event);
        if (samples->len && now.at_us == at_us) {
            g_array_index(samples, TimelineSample, samples->len - 1) = now;
            continue;
        }
        now.at_us = at_us;
        g_array_append_val(samples, now);
    }
    /* blocks from before the window have no time, so the first sample gets the time of the second
     * one */
    if (samples->len > 1 && g_array_index(samples, TimelineSample, 0).at_us < 0)
        g_array_index(samples, TimelineSample, 0).at_us =
            g_array_index(samples, TimelineSample, 1).at_us;
    return samples;
}
