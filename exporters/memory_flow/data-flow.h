/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow of data through a program's memory: blocks, and the operators that allocate, write,
 * read and release them. Each write to a block makes a new version.
 */
#ifndef STROBE_MEMORY_FLOW_DATA_FLOW_H
#define STROBE_MEMORY_FLOW_DATA_FLOW_H

#include <glib.h>
#include <strobe/record.h>

#define FLOW_BEFORE (-1)      /* begin of a block that was allocated before the window */
#define FLOW_NEVER G_MAXINT64 /* end of a block that was not released */
#define FLOW_NO_BLOCK G_MAXUINT32
#define FLOW_NO_ROLE 0xff

/* Roles of blocks that the program reports. */
enum { FLOW_ROLE_PARAMETER, FLOW_ROLE_GRADIENT, FLOW_ROLE_STATE, FLOW_N_ROLES };

typedef struct FlowBlock {
    guint64 bytes;
    gint64 begin_ns, end_ns;
    StrobeStringId name;   /* name of the operator that allocated the block; 0: none */
    guint32 first_version; /* number of the block's version 0 among the versions of all blocks */
    guint32 n_versions;
    guint8 role;    /* FLOW_ROLE_*; FLOW_NO_ROLE: none */
    guint8 is_leaf; /* a gradient is gathered for the block */
    /* a step of an optimizer has allocated or written the block, and has not released it */
    guint8 is_state;
} FlowBlock;

/* All accesses of a node to a block. */
typedef struct FlowEdge {
    guint32 block;
    guint32 version; /* the version before the access; an allocation has none */
    guint8 is_taken, is_given, is_written;
} FlowEdge;

/* An outermost operator, or a single event outside of all operators. */
typedef struct FlowNode {
    gint64 begin_ns, end_ns;
    StrobeStringId name;
    StrobeTrackId track;
    guint32 first_edge, n_edges;
    guint32 gradient; /* block in which the operator gathers a gradient; FLOW_NO_BLOCK: none */
    guint8 is_backward;
    guint8 gathers; /* the operator is AccumulateGrad, which stores a gradient */
} FlowNode;

typedef enum FlowAction { FLOW_TAKE, FLOW_GIVE, FLOW_USE, FLOW_ROLE } FlowAction;

/* An allocation, a release or a use of memory, or the report of a role. */
typedef struct FlowInstant {
    gint64 at_ns;
    guint64 address;
    guint64 bytes;
    StrobeTrackId track;
    gint32 device; /* device of the memory; -1: the host */
    guint8 action; /* FlowAction */
    guint8 is_written, is_leaf;
    guint8 is_gradient; /* the operator that uses the memory stores a gradient */
    guint8 role;
} FlowInstant;

/* The time range of an optimizer's step. */
typedef struct FlowSpan {
    gint64 begin_ns, end_ns;
    StrobeTrackId track;
} FlowSpan;

typedef struct Flow {
    GArray *blocks; /* elements of type FlowBlock */
    GArray *nodes;  /* elements of type FlowNode, by begin */
    /* elements of type FlowEdge, by node in the order of nodes; a node has at most one edge to a
     * block */
    GArray *edges;
    guint n_versions;
    gboolean has_role[FLOW_N_ROLES]; /* TRUE if a block was reported with this role */
} Flow;

/* Makes the flow. `nodes` (FlowNode) are outermost operators; the nodes of a track must be in
 * order. `steps` (of FlowSpan) must be in the order of their ends. Sorts `nodes` and `instants`;
 * the flow owns `nodes` from now on. */
Flow *flow_new(GArray *nodes, GArray *instants, const GArray *steps);
void flow_free(Flow *flow);

static inline FlowBlock *flow_block(const Flow *flow, guint i)
{
    return &g_array_index(flow->blocks, FlowBlock, i);
}

static inline FlowNode *flow_node(const Flow *flow, guint i)
{
    return &g_array_index(flow->nodes, FlowNode, i);
}

static inline const FlowEdge *flow_edges(const Flow *flow, const FlowNode *node)
{
    return &g_array_index(flow->edges, FlowEdge, node->first_edge);
}

/* flow_has_output: whether the access makes a new version of the block. flow_output: the number of
 * this version. */
static inline gboolean flow_has_output(const FlowEdge *edge)
{
    return !edge->is_given && (edge->is_taken || edge->is_written);
}

static inline guint32 flow_output(const FlowEdge *edge)
{
    return edge->is_taken ? 0 : edge->version + 1;
}

#endif
