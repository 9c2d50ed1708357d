/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flow of data through a program's memory: blocks, and the operators that allocate, write,
 * read and release them. Each write to a block makes a new version.
 */
#ifndef STROBE_MEMORY_FLOW_DATA_FLOW_H
#define STROBE_MEMORY_FLOW_DATA_FLOW_H

#include <glib.h>
#include <strobe/record.h>

#define FLOW_BEFORE (-1)      /* begin of a block from before the window */
#define FLOW_NEVER G_MAXINT64 /* end of a block that still exists */
#define FLOW_NO_BLOCK G_MAXUINT32
#define FLOW_NO_ROLE 0xff

/* Roles of a block that the program itself reports. */
enum { FLOW_ROLE_PARAMETER, FLOW_ROLE_GRADIENT, FLOW_ROLE_STATE, FLOW_N_ROLES };

typedef struct FlowBlock {
    guint64 bytes;
    gint64 begin_ns, end_ns;
    StrobeStringId name;   /* of the operator that allocated it, 0: none */
    guint32 first_version; /* number of its version 0 among the versions of all blocks */
    guint32 n_versions;
    guint8 role;     /* FLOW_ROLE_*, FLOW_NO_ROLE */
    guint8 is_leaf;  /* a gradient is gathered for it */
    guint8 is_state; /* an optimizer's step has allocated or written it, and has left it
                      * allocated */
} FlowBlock;

/* An access of a node to a block. */
typedef struct FlowEdge {
    guint32 block;
    guint32 version; /* version before the access; no meaning for an allocation */
    guint8 is_taken, is_given, is_written;
} FlowEdge;

/* An outermost operator, or a single event outside of all operators. */
typedef struct FlowNode {
    gint64 begin_ns, end_ns;
    StrobeStringId name;
    StrobeTrackId track;
    guint32 first_edge, n_edges;
    guint32 gradient; /* the block in which it gathers a gradient, FLOW_NO_BLOCK: none */
    guint8 is_backward;
    guint8 gathers; /* it is AccumulateGrad, which stores a gradient */
} FlowNode;

typedef enum FlowAction { FLOW_TAKE, FLOW_GIVE, FLOW_USE, FLOW_ROLE } FlowAction;

/* An event of memory. */
typedef struct FlowInstant {
    gint64 at_ns;
    guint64 address;
    guint64 bytes;
    StrobeTrackId track;
    gint32 device; /* device of the memory; -1: the host */
    guint8 action; /* FlowAction */
    guint8 is_written, is_leaf;
    guint8 is_gradient; /* an operator that stores a gradient uses it */
    guint8 role;
} FlowInstant;

/* The time range of an optimizer's step. */
typedef struct FlowSpan {
    gint64 begin_ns, end_ns;
    StrobeTrackId track;
} FlowSpan;

typedef struct Flow {
    GArray *blocks; /* of FlowBlock */
    GArray *nodes;  /* of FlowNode, by begin */
    GArray *edges;  /* of FlowEdge, in the order of nodes; each node has a block at most once */
    guint n_versions;
    gboolean has_role[FLOW_N_ROLES]; /* whether any block was reported with this role */
} Flow;

/* Sorts `nodes` (outermost; those of a track in order) and `instants`; the flow owns `nodes`
 * from now on. `steps` (of FlowSpan) are in the order of their ends. */
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

/* Whether the edge makes a new version, and the number of this version. */
static inline gboolean flow_has_output(const FlowEdge *edge)
{
    return !edge->is_given && (edge->is_taken || edge->is_written);
}

static inline guint32 flow_output(const FlowEdge *edge)
{
    return edge->is_taken ? 0 : edge->version + 1;
}

#endif
