/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by the path of those that enclose them: lists of nodes, each with the list below it.
 * What there is no room for is counted as the others. */
#ifndef STROBE_PASSES_PATH_NODES_H
#define STROBE_PASSES_PATH_NODES_H

#include <glib.h>
#include <strobe/exporter.h>

#include "id-index.h"

#define NODES_MAX 1000000 /* paths */
#define HEIGHT_MAX 512    /* operators on one path */
#define WIDTH_MAX 4096    /* different operators below one */

typedef struct Node Node;

/* Operators below one parent, equal names merged. */
typedef struct NodeList {
    Node *first;
    IdIndex *index; /* of all of them, once they are more than WIDTH_FEW */
    guint height;   /* of the tallest subtree, at most HEIGHT_MAX */
    guint width;    /* nodes in this list, at most WIDTH_MAX */
} NodeList;

/* `calls` 0: only a step on the way to others. */
struct Node {
    StrobeStringId name;
    guint64 calls;
    gint64 self_ns;
    double device_us; /* NAN: none; counted once the tree is complete */
    NodeList children;
    Node *next;
};

typedef struct StackSum {
    guint64 calls;
    gint64 self_ns;
    double device_us;
} StackSum;

/* Where nodes come from. */
typedef struct PathNodes {
    StackSum others; /* no room for the path, or it is too long */
    Node *free_nodes;
    guint n_nodes;
    GPtrArray *chunks;   /* where the nodes lie */
    GHashTable *indexes; /* all that there are, to be freed */
} PathNodes;

void path_nodes_init(PathNodes *nodes);
void path_nodes_clear(PathNodes *nodes);

/* NULL: no operator of the name is in the list. */
Node *node_list_find(const NodeList *list, StrobeStringId name);
/* The node of an operator in a list, made if need be; NULL when there is no room. */
Node *node_list_add(PathNodes *nodes, NodeList *list, StrobeStringId name);
/* Gives up a list: its time, and that of all below it, goes to the others. */
void node_list_drop(PathNodes *nodes, NodeList list);
/* Merges the list `from` into `into`, whole subtrees. */
void node_list_merge(PathNodes *nodes, NodeList *into, NodeList from);

#endif
