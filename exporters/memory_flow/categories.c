/* SPDX-License-Identifier: Apache-2.0 */
#include "categories.h"

#include <string.h>

/* Maximum number of passes over the nodes. A pass visits the nodes in the direction of the flow, so
 * a normal program needs only a few passes. */
#define ROUNDS_MAX 64u

/* A set of versions (indexed by number) or of blocks: one flag for each. */
typedef guint8 Set;

static guint32 number_of(const Categories *c, guint32 block, guint32 version)
{
    return flow_block(c->flow, block)->first_version + version;
}

/* input_of returns the number of the version before the access; output_of returns the number of the
 * version after the access. */
static guint32 input_of(const Categories *c, const FlowEdge *edge)
{
    return number_of(c, edge->block, edge->version);
}

static guint32 output_of(const Categories *c, const FlowEdge *edge)
{
    return number_of(c, edge->block, flow_output(edge));
}

static guint input_category(const Categories *c, const FlowEdge *edge)
{
    return category_of(c, edge->block, edge->version);
}

static guint output_category(const Categories *c, const FlowEdge *edge)
{
    return category_of(c, edge->block, flow_output(edge));
}

static void set_block(Categories *c, guint32 block, guint category)
{
    if (c->of_block[block] == CATEGORY_UNKNOWN)
        c->of_block[block] = (guint8)category;
}

static void set_version(Categories *c, guint32 number, guint category)
{
    if (c->of_version[number] == CATEGORY_UNKNOWN)
        c->of_version[number] = (guint8)category;
}

/* EACH_NODE iterates over the nodes of the flow, EACH_EDGE over the edges of a node. */
#define EACH_NODE(node_, c_)                                                                       \
    for (FlowNode *node_ = (FlowNode *)(gpointer)(c_)->flow->nodes->data;                          \
         node_ < flow_node((c_)->flow, (c_)->flow->nodes->len); node_++)
#define EACH_EDGE(edge_, node_, c_)                                                                \
    for (const FlowEdge *edge_ = flow_edges((c_)->flow, node_),                                    \
                        *edge_##_end = edge_ + (node_)->n_edges;                                   \
         edge_ < edge_##_end; edge_++)

/* ---- categories from the records ---- */

static void set_gradients(Categories *c)
{
    EACH_NODE(node, c)
    if (node->gradient != FLOW_NO_BLOCK)
        set_block(c, node->gradient, CATEGORY_GRADIENT);
    for (guint i = 0; i < c->flow->blocks->len; i++)
        if (flow_block(c->flow, i)->role == FLOW_ROLE_GRADIENT)
            set_block(c, i, CATEGORY_GRADIENT);
}

static void set_temporaries(Categories *c)
{
    EACH_NODE(node, c)
    EACH_EDGE(edge, node, c)
    c->temporary[edge->block] |= edge->is_taken && edge->is_given;
}

/* Sets the category of parameters: the blocks that the program reported as parameters or, if it
 * reported none, the blocks for which a gradient is gathered. */
static void set_parameters(Categories *c)
{
    gboolean is_reported = c->flow->has_role[FLOW_ROLE_PARAMETER];

    for (guint i = 0; i < c->flow->blocks->len; i++) {
        const FlowBlock *block = flow_block(c->flow, i);

        if (is_reported ? block->role == FLOW_ROLE_PARAMETER : block->is_leaf)
            set_block(c, i, CATEGORY_PARAMETER);
    }
}

/* Sets the category of an optimizer's state: the blocks that the program reported as state or, if
 * it reported none, the blocks that an optimizer's step left allocated. */
static void set_state(Categories *c)
{
    gboolean is_reported = c->flow->has_role[FLOW_ROLE_STATE];

    for (guint i = 0; i < c->flow->blocks->len; i++) {
        const FlowBlock *block = flow_block(c->flow, i);

        if (block->role == FLOW_ROLE_STATE ||
            (!is_reported && block->is_state && !c->temporary[i] && block->end_ns == FLOW_NEVER))
            set_block(c, i, CATEGORY_OPTIMIZER_STATE);
    }
}

/* ---- categories from the flow ---- */

static gboolean is_learned(guint category)
{
    return category == CATEGORY_GRADIENT || category == CATEGORY_PARAMETER;
}

/* Returns the blocks that have a version which was made from a gradient or a parameter. */
static Set *depending_on_gradients(const Categories *c)
{
    Set *depends = g_new0(Set, c->flow->blocks->len + 1);
    gboolean has_grown = TRUE;

    for (guint i = 0; has_grown && i < ROUNDS_MAX; i++) {
        has_grown = FALSE;
        EACH_NODE(node, c)
        {
            gboolean does = FALSE;

            EACH_EDGE(edge, node, c)
            {
                if (edge->is_taken ||
                    (!depends[edge->block] && !is_learned(input_category(c, edge))))
                    continue;
                does = TRUE;
                has_grown = has_grown || !depends[edge->block];
                depends[edge->block] = TRUE;
            }
            EACH_EDGE(edge, node, c)
            {
                if (!does || !flow_has_output(edge))
                    continue;
                has_grown = has_grown || !depends[edge->block];
                depends[edge->block] = TRUE;
            }
        }
    }
    return depends;
}

/* Returns the versions from which a gradient or a parameter is made, directly or through other
 * versions. */
static Set *producing_gradients(const Categories *c)
{
    Set *produces = g_new0(Set, c->flow->n_versions + 1);

    for (guint i = c->flow->nodes->len; i-- > 0;) {
        const FlowNode *node = flow_node(c->flow, i);
        gboolean does = FALSE;

        EACH_EDGE(edge, node, c)
        {
            if (!edge->is_taken)
                does |= produces[input_of(c, edge)] || is_learned(input_category(c, edge));
            if (flow_has_output(edge))
                does |= produces[output_of(c, edge)] || is_learned(output_category(c, edge));
        }
        EACH_EDGE(edge, node, c)
        {
            if (does && !edge->is_taken)
                produces[input_of(c, edge)] = TRUE;
            if (does && flow_has_output(edge))
                produces[output_of(c, edge)] = TRUE;
        }
    }
    return produces;
}

static void set_inputs(Categories *c)
{
    g_autofree Set *produces = producing_gradients(c);
    g_autofree Set *depends = depending_on_gradients(c);

    EACH_NODE(node, c)
    EACH_EDGE(edge, node, c)
    if (node->is_backward && flow_has_output(edge))
        produces[output_of(c, edge)] = FALSE;
    for (guint i = 0; i < c->flow->blocks->len; i++) {
        const FlowBlock *block = flow_block(c->flow, i);

        for (guint v = 0; !depends[i] && v < block->n_versions; v++)
            if (produces[block->first_version + v])
                set_version(c, block->first_version + v, CATEGORY_INPUT);
    }
}

static gboolean touches_gradient(const Categories *c, const FlowNode *node)
{
    EACH_EDGE(edge, node, c)
    {
        if (!edge->is_taken && input_category(c, edge) == CATEGORY_GRADIENT)
            return TRUE;
        if (flow_has_output(edge) && output_category(c, edge) == CATEGORY_GRADIENT)
            return TRUE;
    }
    return FALSE;
}

/* Returns the blocks that are not made from inputs, but are used together with inputs to make a
 * result from which a gradient is made. */
static Set *beside_inputs(const Categories *c, const Set *is_used)
{
    g_autofree Set *forward = g_new0(Set, c->flow->n_versions + 1);
    Set *beside = g_new0(Set, c->flow->blocks->len + 1);

    for (guint i = 0; i < c->flow->blocks->len; i++)
        for (guint v = 0; v < flow_block(c->flow, i)->n_versions; v++)
            forward[number_of(c, i, v)] = category_of(c, i, v) == CATEGORY_INPUT;
    EACH_NODE(node, c)
    {
        gboolean is_forward = FALSE;

        if (node->is_backward || touches_gradient(c, node))
            continue;
        EACH_EDGE(edge, node, c)
        is_forward |= !edge->is_taken && forward[input_of(c, edge)];
        EACH_EDGE(edge, node, c)
        if (is_forward && flow_has_output(edge))
            forward[output_of(c, edge)] = TRUE;
        EACH_EDGE(edge, node, c)
        if (is_forward && !edge->is_taken && !forward[input_of(c, edge)] &&
            is_used[input_of(c, edge)])
            beside[edge->block] = TRUE;
    }
    return beside;
}

/* Returns the versions from which a gradient was made. */
static Set *used_for_gradients(const Categories *c)
{
    Set *used = g_new0(Set, c->flow->n_versions + 1);

    for (guint i = c->flow->nodes->len; i-- > 0;) {
        const FlowNode *node = flow_node(c->flow, i);
        gboolean does = FALSE;

        EACH_EDGE(edge, node, c)
        if (flow_has_output(edge))
            does |= used[output_of(c, edge)] || output_category(c, edge) == CATEGORY_GRADIENT;
        EACH_EDGE(edge, node, c)
        if (does && !edge->is_taken)
            used[input_of(c, edge)] = TRUE;
    }
    return used;
}

/* Sets the category of parameters that the program did not report, for example weights that it
 * trains by hand: leaves of the graph that are used together with inputs, and into which gradients
 * flow. */
static void set_parameters_by_flow(Categories *c)
{
    g_autofree Set *used = used_for_gradients(c);
    g_autofree Set *beside = beside_inputs(c, used);
    g_autofree Set *depends = depending_on_gradients(c);

    for (guint i = 0; i < c->flow->blocks->len; i++)
        if (flow_block(c->flow, i)->is_leaf && beside[i] && depends[i])
            set_block(c, i, CATEGORY_PARAMETER);
}

static void set_activations(Categories *c)
{
    static const guint required = 1u << CATEGORY_INPUT | 1u << CATEGORY_ACTIVATION;
    static const guint allowed = 1u << CATEGORY_PARAMETER | 1u << CATEGORY_TEMPORARY;

    EACH_NODE(node, c)
    {
        guint found = 0;

        EACH_EDGE(edge, node, c)
        if (!edge->is_taken)
            found |= 1u << input_category(c, edge);
        if (node->is_backward || !(found & required) || (found & ~(required | allowed)))
            continue;
        EACH_EDGE(edge, node, c)
        if (flow_has_output(edge))
            set_version(c, output_of(c, edge), CATEGORY_ACTIVATION);
    }
}

static void set_detail(Categories *c)
{
    EACH_NODE(node, c)
    EACH_EDGE(edge, node, c)
    {
        guint before = CATEGORY_UNKNOWN;

        if (!node->is_backward || !flow_has_output(edge))
            continue;
        if (flow_output(edge))
            before = category_of(c, edge->block, flow_output(edge) - 1);
        if (before == CATEGORY_UNKNOWN || before == CATEGORY_AUTOGRAD_DETAIL)
            set_version(c, output_of(c, edge), CATEGORY_AUTOGRAD_DETAIL);
    }
}

Categories *categories_new(const Flow *flow)
{
    Categories *c = g_new0(Categories, 1);

    c->flow = flow;
    c->of_block = g_malloc(flow->blocks->len + 1);
    c->temporary = g_malloc0(flow->blocks->len + 1);
    c->of_version = g_malloc(flow->n_versions + 1);
    memset(c->of_block, CATEGORY_UNKNOWN, flow->blocks->len + 1);
    memset(c->of_version, CATEGORY_UNKNOWN, flow->n_versions + 1);
    set_gradients(c);
    set_temporaries(c);
    set_parameters(c);
    /* must come before set_parameters_by_flow, whose rules would take an optimizer's state for
     * parameters */
    set_state(c);
    set_inputs(c);
    set_parameters_by_flow(c);
    set_activations(c);
    set_detail(c);
    return c;
}

void categories_free(Categories *c)
{
    g_free(c->of_block);
    g_free(c->temporary);
    g_free(c->of_version);
    g_free(c);
}
