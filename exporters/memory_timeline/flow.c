/* SPDX-License-Identifier: Apache-2.0 */
#include "flow.h"

#include <strobe/helpers/keyed-hash.h>

#define STEPS_MAX 64u /* of optimizers, at one time in all threads */

/* A node and a block, before those of one node and block are put together. */
typedef struct Touch {
    guint32 node, block;
    guint8 is_taken, is_given, is_written;
} Touch;

/* The nodes of one track, in order; moments come in order, too. */
typedef struct Lane {
    GArray *nodes; /* of guint32 */
    guint at;
} Lane;

typedef struct Builder {
    Flow *flow;
    GHashTable *lanes;   /* track -> Lane */
    GHashTable *present; /* address -> number of the block there + 1 */
    GArray *touches;
    const GArray *steps; /* of FlowSpan, by end */
    guint step;          /* the first that has not ended */
} Builder;

static gint compare_moments(gconstpointer a, gconstpointer b)
{
    const FlowMoment *x = a, *y = b;

    return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
}

static gint compare_nodes(gconstpointer a, gconstpointer b)
{
    const FlowNode *x = a, *y = b;

    return (x->begin_ns > y->begin_ns) - (x->begin_ns < y->begin_ns);
}

static gint compare_touches(gconstpointer a, gconstpointer b, gpointer user)
{
    const guint32 *ranks = user;
    const Touch *x = a, *y = b;

    if (ranks[x->node] != ranks[y->node])
        return ranks[x->node] < ranks[y->node] ? -1 : 1;
    return (x->block > y->block) - (x->block < y->block);
}

/* ---- nodes ---- */

static void free_lane(gpointer data)
{
    g_array_unref(((Lane *)data)->nodes);
    g_free(data);
}

static void make_lanes(Builder *b)
{
    for (guint i = 0; i < b->flow->nodes->len; i++) {
        gpointer key = GUINT_TO_POINTER(flow_node(b->flow, i)->track);
        Lane *lane = g_hash_table_lookup(b->lanes, key);

        if (!lane) {
            lane = g_new0(Lane, 1);
            lane->nodes = g_array_new(FALSE, FALSE, sizeof(guint32));
            g_hash_table_insert(b->lanes, key, lane);
        }
        g_array_append_val(lane->nodes, i);
    }
}

/* The node of the thread in which a moment lies. An operator's inputs may be told just before it
 * begins: what is used outside of all is of the next. FLOW_NO_BLOCK: none. */
static guint32 node_at(Builder *b, const FlowMoment *moment)
{
    Lane *lane = g_hash_table_lookup(b->lanes, GUINT_TO_POINTER(moment->track));

    for (; lane && lane->at < lane->nodes->len; lane->at++) {
        guint32 index = g_array_index(lane->nodes, guint32, lane->at);
        const FlowNode *node = flow_node(b->flow, index);

        if (node->end_ns < moment->at_ns)
            continue;
        return moment->action == FLOW_USE || node->begin_ns <= moment->at_ns ? index
                                                                             : FLOW_NO_BLOCK;
    }
    return FLOW_NO_BLOCK;
}

static guint32 bare_node(Builder *b, const FlowMoment *moment)
{
    const FlowNode node = {.begin_ns = moment->at_ns,
                           .end_ns = moment->at_ns,
                           .track = moment->track,
                           .gradient = FLOW_NO_BLOCK};

    g_array_append_val(b->flow->nodes, node);
    return b->flow->nodes->len - 1;
}

/* ---- blocks ---- */

static guint32 add_block(Builder *b, const FlowMoment *moment, gint64 begin_ns)
{
    const FlowBlock block = {
        .bytes = moment->bytes, .begin_ns = begin_ns, .end_ns = FLOW_NEVER, .role = FLOW_NO_ROLE};
    guint32 index = b->flow->blocks->len;

    g_array_append_val(b->flow->blocks, block);
    g_hash_table_insert(b->present, g_memdup2(&moment->address, sizeof moment->address),
                        GUINT_TO_POINTER(index + 1));
    return index;
}

/* The block at the moment's address: of one that nobody has taken in the window, what was there
 * before. */
static guint32 block_at(Builder *b, const FlowMoment *moment)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &moment->address));

    return found ? found - 1 : add_block(b, moment, FLOW_BEFORE);
}

static void touch(Builder *b, guint32 node, guint32 block, const FlowMoment *moment)
{
    const Touch made = {.node = node,
                        .block = block,
                        .is_taken = moment->action == FLOW_TAKE,
                        .is_given = moment->action == FLOW_GIVE,
                        .is_written = moment->action == FLOW_USE && moment->is_written};

    g_array_append_val(b->touches, made);
}

static void give(Builder *b, guint32 node, guint32 block, const FlowMoment *moment)
{
    const FlowMoment given = {.action = FLOW_GIVE};

    flow_block(b->flow, block)->end_ns = moment->at_ns;
    g_hash_table_remove(b->present, &moment->address);
    touch(b, node, block, &given);
}

/* Is it in an optimizer's step? Those of a thread do not nest. */
static gboolean is_in_step(Builder *b, const FlowMoment *moment)
{
    while (b->step < b->steps->len &&
           g_array_index(b->steps, FlowSpan, b->step).end_ns < moment->at_ns)
        b->step++;
    for (guint i = b->step; i < MIN(b->steps->len, b->step + STEPS_MAX); i++) {
        const FlowSpan *step = &g_array_index(b->steps, FlowSpan, i);

        if (step->begin_ns > moment->at_ns)
            break;
        if (step->track == moment->track && step->end_ns >= moment->at_ns)
            return TRUE;
    }
    return FALSE;
}

static void take(Builder *b, guint32 node, const FlowMoment *moment)
{
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &moment->address));
    guint32 block;

    if (before) /* nobody told of its release */
        give(b, node, before - 1, moment);
    block = add_block(b, moment, moment->at_ns);
    flow_block(b->flow, block)->name = flow_node(b->flow, node)->name;
    flow_block(b->flow, block)->is_state = is_in_step(b, moment);
    touch(b, node, block, moment);
}

static void use(Builder *b, guint32 node, const FlowMoment *moment)
{
    guint32 index = block_at(b, moment);
    FlowBlock *block = flow_block(b->flow, index);
    FlowNode *in = flow_node(b->flow, node);

    block->is_leaf |= moment->is_leaf;
    if (moment->is_written && is_in_step(b, moment))
        block->is_state = TRUE;
    if (in->gathers && in->gradient == FLOW_NO_BLOCK && moment->is_gradient)
        in->gradient = index;
    touch(b, node, index, moment);
}

/* Of what nobody has used in the window nothing is shown: a program may have more than it trains.
 */
static void take_role(Builder *b, const FlowMoment *moment)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &moment->address));

    b->flow->has_role[moment->role] = TRUE;
    if (found)
        flow_block(b->flow, found - 1)->role = moment->role;
}

static void take_moment(Builder *b, const FlowMoment *moment)
{
    guint32 node;

    if (moment->action == FLOW_ROLE) {
        take_role(b, moment);
        return;
    }
    node = node_at(b, moment);
    if (node == FLOW_NO_BLOCK && moment->action == FLOW_USE)
        return; /* the operator ended after the window */
    if (node == FLOW_NO_BLOCK)
        node = bare_node(b, moment);
    if (moment->action == FLOW_TAKE)
        take(b, node, moment);
    else if (moment->action == FLOW_GIVE)
        give(b, node, block_at(b, moment), moment);
    else
        use(b, node, moment);
}

/* ---- edges ---- */

/* Versions in the order in which nodes begin. */
static void finish_edge(Flow *flow, FlowEdge *edge)
{
    FlowBlock *block = flow_block(flow, edge->block);

    edge->version = edge->is_taken ? 0 : block->n_versions - 1;
    if (!edge->is_taken && flow_has_output(edge))
        block->n_versions++;
    g_array_append_vals(flow->edges, edge, 1);
}

static void make_edges(Builder *b, const guint32 *ranks)
{
    Flow *flow = b->flow;

    for (guint i = 0; i < flow->blocks->len; i++)
        flow_block(flow, i)->n_versions = 1;
    for (guint i = 0; i < b->touches->len;) {
        const Touch *first = &g_array_index(b->touches, Touch, i);
        FlowNode *node = flow_node(flow, ranks[first->node]);
        FlowEdge edge = {.block = first->block};

        for (; i < b->touches->len; i++) {
            const Touch *same = &g_array_index(b->touches, Touch, i);

            if (same->node != first->node || same->block != first->block)
                break;
            edge.is_taken |= same->is_taken;
            edge.is_given |= same->is_given;
            edge.is_written |= same->is_written;
        }
        if (!node->n_edges)
            node->first_edge = flow->edges->len;
        node->n_edges++;
        finish_edge(flow, &edge);
    }
}

static void number_versions(Flow *flow)
{
    for (guint i = 0; i < flow->blocks->len; i++) {
        flow_block(flow, i)->first_version = flow->n_versions;
        flow->n_versions += flow_block(flow, i)->n_versions;
    }
}

typedef struct Place {
    gint64 begin_ns;
    guint32 node;
} Place;

static gint compare_places(gconstpointer a, gconstpointer b)
{
    const Place *x = a, *y = b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Where each node is when they are in order of their begin. */
static guint32 *rank_nodes(const Flow *flow)
{
    GArray *places = g_array_sized_new(FALSE, FALSE, sizeof(Place), flow->nodes->len);
    guint32 *ranks = g_new(guint32, flow->nodes->len + 1);

    for (guint i = 0; i < flow->nodes->len; i++) {
        const Place place = {flow_node(flow, i)->begin_ns, i};

        g_array_append_val(places, place);
    }
    g_array_sort(places, compare_places);
    for (guint i = 0; i < places->len; i++)
        ranks[g_array_index(places, Place, i).node] = i;
    g_array_unref(places);
    return ranks;
}

Flow *flow_new(GArray *nodes, GArray *moments, const GArray *steps)
{
    Builder b = {.flow = g_new0(Flow, 1), .steps = steps};
    g_autofree guint32 *ranks = NULL;

    b.flow->nodes = nodes;
    b.flow->blocks = g_array_new(FALSE, FALSE, sizeof(FlowBlock));
    b.flow->edges = g_array_new(FALSE, FALSE, sizeof(FlowEdge));
    b.lanes = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_lane);
    b.present = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    b.touches = g_array_new(FALSE, FALSE, sizeof(Touch));
    g_array_sort(moments, compare_moments);
    make_lanes(&b);
    for (guint i = 0; i < moments->len; i++)
        take_moment(&b, &g_array_index(moments, FlowMoment, i));
    ranks = rank_nodes(b.flow);
    g_array_sort_with_data(b.touches, compare_touches, ranks);
    g_array_sort(nodes, compare_nodes);
    make_edges(&b, ranks);
    number_versions(b.flow);
    g_hash_table_unref(b.lanes);
    g_hash_table_unref(b.present);
    g_array_unref(b.touches);
    return b.flow;
}

void flow_free(Flow *flow)
{
    g_array_unref(flow->blocks);
    g_array_unref(flow->nodes);
    g_array_unref(flow->edges);
    g_free(flow);
}
