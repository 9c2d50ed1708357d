/* SPDX-License-Identifier: Apache-2.0 */
#include "call-tree.h"

#include "nesting.h"

/* A call that waits for the call that encloses it. */
typedef struct Call {
    NestingSpan span;
    StrobeStringId name;
    NodeList callees;
} Call;

struct CallTree {
    Nesting *nesting;
    PathNodes nodes;
    NodeList roots;
};

/* Adds a call to the list. If `call` is a fold (several calls that nesting.h has merged), adds all
 * calls of the fold. */
static void attach_call(CallTree *tree, NodeList *list, Call *call)
{
    if (call->span.is_fold) {
        node_list_merge(&tree->nodes, list, call->callees);
        return;
    }
    if (call->callees.height >= HEIGHT_MAX) {
        node_list_drop(&tree->nodes, call->callees);
        call->callees = (NodeList){0};
    }
    const gint64 self_ns = call->span.total_ns - call->span.children_ns;
    Node *node = node_list_add(&tree->nodes, list, call->name);
    if (node) {
        node->calls++;
        node->self_ns += self_ns;
        node_list_merge(&tree->nodes, &node->children, call->callees);
        list->height = MAX(list->height, 1 + node->children.height);
    } else {
        tree->nodes.others.calls++;
        tree->nodes.others.self_ns += self_ns;
        node_list_drop(&tree->nodes, call->callees);
    }
}

static gboolean adopt_call(void *user, NestingSpan *parent, NestingSpan *child)
{
    attach_call(user, &((Call *)parent)->callees, (Call *)child);
    return TRUE;
}

/* Converts a call to a fold: a list with one node, which can be merged with other lists. */
static gboolean fold_call(void *user, NestingSpan *span)
{
    Call *call = (Call *)span;
    NodeList list = {0};

    attach_call(user, &list, call);
    call->callees = list;
    return TRUE;
}

static gboolean merge_calls(void *user, NestingSpan *into, NestingSpan *from)
{
    node_list_merge(&((CallTree *)user)->nodes, &((Call *)into)->callees, ((Call *)from)->callees);
    return TRUE;
}

static gboolean attach_outermost(void *user, NestingSpan *span)
{
    CallTree *tree = user;

    attach_call(tree, &tree->roots, (Call *)span);
    return TRUE;
}

static const NestingOps nesting_ops = {sizeof(Call), adopt_call, fold_call, merge_calls,
                                       attach_outermost};

CallTree *call_tree_new(void)
{
    CallTree *tree = g_new0(CallTree, 1);

    path_nodes_init(&tree->nodes);
    tree->nesting = nesting_new(&nesting_ops, tree);
    return tree;
}

void call_tree_free(CallTree *tree)
{
    nesting_free(tree->nesting);
    path_nodes_clear(&tree->nodes);
    g_free(tree);
}

void call_tree_add(CallTree *tree, const StrobeView *record)
{
    Call call = {.name = record->name,
                 .span = {.begin_ns = record->begin_ns,
                          .end_ns = MAX(record->end_ns, record->begin_ns),
                          .track = record->track}};

    nesting_add(tree->nesting, &call.span);
}

void call_tree_finish(CallTree *tree)
{
    nesting_finish(tree->nesting);
}

typedef struct Visit {
    void (*visit)(void *user, const CallTreePath *path);
    void *user;
    /* the innermost frame comes first, so the array is filled from its end */
    StrobeStringId frames[HEIGHT_MAX];
} Visit;

static void visit_list(Visit *visit, const NodeList *list, guint depth)
{
    if (depth == HEIGHT_MAX)
        return;
    StrobeStringId *frames = visit->frames + HEIGHT_MAX - (depth + 1);
    for (const Node *node = list->first; node; node = node->next) {
        const CallTreePath path = {frames, depth + 1, node->calls, node->self_ns};

        *frames = node->name;
        if (node->calls)
            visit->visit(visit->user, &path);
        visit_list(visit, &node->children, depth + 1);
    }
}

void call_tree_visit(const CallTree *tree, void (*visit)(void *user, const CallTreePath *path),
                     void *user)
{
    Visit state = {.visit = visit, .user = user};

    visit_list(&state, &tree->roots, 0);
}

const StackSum *call_tree_others(const CallTree *tree)
{
    return &tree->nodes.others;
}
