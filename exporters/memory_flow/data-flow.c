/* SPDX-License-Identifier: Apache-2.0 */
#include "data-flow.h"

#include <strobe/helpers/keyed-hash.h>

#define STEPS_MAX 64u /* maximum number of concurrent optimizer steps in all threads */

/* An access of a node to a block. make_edges merges the accesses of the same node to the same
 * block. */
typedef struct Touch {
    guint32 node, block;
    guint8 is_taken, is_given, is_written;
} Touch;

/* The nodes of one track, in order. The instants of a track are processed in order, so each search
 * begins at `at`, where the previous one ended. */
typedef struct ThreadBuffer {
    GArray *nodes; /* elements of type guint32: indexes of the nodes */
    guint at;
} ThreadBuffer;

typedef struct Builder {
    Flow *flow;
    GHashTable *thread_buffers; /* track -> ThreadBuffer */
    GHashTable *present;        /* address -> 1 + index of the block at this address */
    GArray *touches;
    const GArray *steps; /* elements of type FlowSpan, in the order of their ends */
    guint step;          /* index of the first step that has not ended */
} Builder;

static gint compare_instants(gconstpointer a, gconstpointer b)
{
    const FlowInstant *x = a, *y = b;

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

static void free_thread_buffer(gpointer data)
{
    g_array_unref(((ThreadBuffer *)data)->nodes);
    g_free(data);
}

static void make_thread_buffers(Builder *b)
{
    for (guint i = 0; i < b->flow->nodes->len; i++) {
        gpointer key = GUINT_TO_POINTER(flow_node(b->flow, i)->track);
        ThreadBuffer *thread_buffer = g_hash_table_lookup(b->thread_buffers, key);

        if (!thread_buffer) {
            thread_buffer = g_new0(ThreadBuffer, 1);
            thread_buffer->nodes = g_array_new(FALSE, FALSE, sizeof(guint32));
            g_hash_table_insert(b->thread_buffers, key, thread_buffer);
        }
        g_array_append_val(thread_buffer->nodes, i);
    }
}

/* Returns the node of the instant's thread that contains the instant. The inputs of an operator may
 * be recorded just before it begins, so a use outside of all nodes belongs to the next node.
 * Returns FLOW_NO_BLOCK if there is no node. */
static guint32 node_at(Builder *b, const FlowInstant *instant)
{
    ThreadBuffer *thread_buffer =
        g_hash_table_lookup(b->thread_buffers, GUINT_TO_POINTER(instant->track));

    for (; thread_buffer && thread_buffer->at < thread_buffer->nodes->len; thread_buffer->at++) {
        guint32 index = g_array_index(thread_buffer->nodes, guint32, thread_buffer->at);
        const FlowNode *node = flow_node(b->flow, index);

        if (node->end_ns < instant->at_ns)
            continue;
        return instant->action == FLOW_USE || node->begin_ns <= instant->at_ns ? index
                                                                               : FLOW_NO_BLOCK;
    }
    return FLOW_NO_BLOCK;
}

static guint32 bare_node(Builder *b, const FlowInstant *instant)
{
    const FlowNode node = {.begin_ns = instant->at_ns,
                           .end_ns = instant->at_ns,
                           .track = instant->track,
                           .gradient = FLOW_NO_BLOCK};

    g_array_append_val(b->flow->nodes, node);
    return b->flow->nodes->len - 1;
}

/* ---- blocks ---- */

static guint32 add_block(Builder *b, const FlowInstant *instant, gint64 begin_ns)
{
    const FlowBlock block = {
        .bytes = instant->bytes, .begin_ns = begin_ns, .end_ns = FLOW_NEVER, .role = FLOW_NO_ROLE};
    guint32 index = b->flow->blocks->len;

    g_array_append_val(b->flow->blocks, block);
    g_hash_table_insert(b->present, g_memdup2(&instant->address, sizeof instant->address),
                        GUINT_TO_POINTER(index + 1));
    return index;
}

/* Returns the block at the instant's address. If the window has no allocation of this block, adds a
 * block that was allocated before the window. */
static guint32 block_at(Builder *b, const FlowInstant *instant)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &instant->address));

    return found ? found - 1 : add_block(b, instant, FLOW_BEFORE);
}

static void add_touch(Builder *b, guint32 node, guint32 block, const FlowInstant *instant)
{
    const Touch made = {.node = node,
                        .block = block,
                        .is_taken = instant->action == FLOW_TAKE,
                        .is_given = instant->action == FLOW_GIVE,
                        .is_written = instant->action == FLOW_USE && instant->is_written};

    g_array_append_val(b->touches, made);
}

static void free_block(Builder *b, guint32 node, guint32 block, const FlowInstant *instant)
{
    const FlowInstant given = {.action = FLOW_GIVE};

    flow_block(b->flow, block)->end_ns = instant->at_ns;
    g_hash_table_remove(b->present, &instant->address);
    add_touch(b, node, block, &given);
}

/* Returns whether the instant is in an optimizer's step. Steps of the same thread do not nest. */
static gboolean is_in_step(Builder *b, const FlowInstant *instant)
{
    while (b->step < b->steps->len &&
           g_array_index(b->steps, FlowSpan, b->step).end_ns < instant->at_ns)
        b->step++;
    for (guint i = b->step; i < MIN(b->steps->len, b->step + STEPS_MAX); i++) {
        const FlowSpan *step = &g_array_index(b->steps, FlowSpan, i);

        if (step->begin_ns > instant->at_ns)
            break;
        if (step->track == instant->track && step->end_ns >= instant->at_ns)
            return TRUE;
    }
    return FALSE;
}

static void allocate_block(Builder *b, guint32 node, const FlowInstant *instant)
{
    guint before = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &instant->address));
    guint32 block;

    if (before) /* the release of the block that was at this address was not recorded */
        free_block(b, node, before - 1, instant);
    block = add_block(b, instant, instant->at_ns);
    flow_block(b->flow, block)->name = flow_node(b->flow, node)->name;
    flow_block(b->flow, block)->is_state = is_in_step(b, instant);
    add_touch(b, node, block, instant);
}

static void use_block(Builder *b, guint32 node, const FlowInstant *instant)
{
    guint32 index = block_at(b, instant);
    FlowBlock *block = flow_block(b->flow, index);
    FlowNode *in = flow_node(b->flow, node);

    block->is_leaf |= instant->is_leaf;
    if (instant->is_written && is_in_step(b, instant))
        block->is_state = TRUE;
    if (in->gathers && in->gradient == FLOW_NO_BLOCK && instant->is_gradient)
        in->gradient = index;
    add_touch(b, node, index, instant);
}

/* Stores the role of the block at the instant's address. There may be no block at this address in
 * the window: a program may have parameters that it does not train. */
static void take_role(Builder *b, const FlowInstant *instant)
{
    guint found = GPOINTER_TO_UINT(g_hash_table_lookup(b->present, &instant->address));

    b->flow->has_role[instant->role] = TRUE;
    if (found)
        flow_block(b->flow, found - 1)->role = instant->role;
}

static void take_instant(Builder *b, const FlowInstant *instant)
{
    guint32 node;

    if (instant->action == FLOW_ROLE) {
        take_role(b, instant);
        return;
    }
    node = node_at(b, instant);
    if (node == FLOW_NO_BLOCK && instant->action == FLOW_USE)
        return; /* the operator ended after the window */
    if (node == FLOW_NO_BLOCK)
        node = bare_node(b, instant);
    if (instant->action == FLOW_TAKE)
        allocate_block(b, node, instant);
    else if (instant->action == FLOW_GIVE)
        free_block(b, node, block_at(b, instant), instant);
    else
        use_block(b, node, instant);
}

/* ---- edges ---- */

/* Sets the version before the access; if the access makes a new version, counts it. Must be called
 * in the order in which the nodes begin. */
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

/* Returns the position of each node in the order in which nodes begin. */
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

Flow *flow_new(GArray *nodes, GArray *instants, const GArray *steps)
{
    Builder b = {.flow = g_new0(Flow, 1), .steps = steps};
    g_autofree guint32 *ranks = NULL;

    b.flow->nodes = nodes;
    b.flow->blocks = g_array_new(FALSE, FALSE, sizeof(FlowBlock));
    b.flow->edges = g_array_new(FALSE, FALSE, sizeof(FlowEdge));
    b.thread_buffers =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, free_thread_buffer);
    b.present = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, g_free, NULL);
    b.touches = g_array_new(FALSE, FALSE, sizeof(Touch));
    g_array_sort(instants, compare_instants);
    make_thread_buffers(&b);
    for (guint i = 0; i < instants->len; i++)
        take_instant(&b, &g_array_index(instants, FlowInstant, i));
    ranks = rank_nodes(b.flow);
    g_array_sort_with_data(b.touches, compare_touches, ranks);
    g_array_sort(nodes, compare_nodes);
    make_edges(&b, ranks);
    number_versions(b.flow);
    g_hash_table_unref(b.thread_buffers);
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
