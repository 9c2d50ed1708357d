/* SPDX-License-Identifier: Apache-2.0 */
/* A tree of operators by the path of the operators that enclose them. Each list of nodes has the
 * operators below one parent; each node has a list of the operators below it. Operators for which
 * there is no room are added up in `others`. */
#ifndef STROBE_PASSES_PATH_NODES_H
#define STROBE_PASSES_PATH_NODES_H

#include <glib.h>
#include <strobe/exporter.h>

#include "id-index.h"

#define NODES_MAX 1000000 /* maximum number of nodes */
#define HEIGHT_MAX 512    /* maximum number of operators on one path */
#define WIDTH_MAX 4096    /* maximum number of different operators below one operator */

typedef struct Node Node;

/* The operators below one parent. Operators with the same name are one node. */
typedef struct NodeList {
    Node *first;
    IdIndex *index; /* index of all nodes in the list, if there are more than WIDTH_FEW */
    guint height;   /* height of the tallest subtree, at most HEIGHT_MAX */
    guint width;    /* number of nodes in this list, at most WIDTH_MAX */
} NodeList;

/* An operator on a path. `calls` is 0 if no operator ends here and the node only leads to other
 * nodes. */
struct Node {
    StrobeStringId name;
    guint64 calls;
    gint64 self_ns;
    double device_us; /* set when the tree is complete; NAN: none */
    NodeList children;
    Node *next;
};

typedef struct StackSum {
    guint64 calls;
    gint64 self_ns;
    double device_us;
} StackSum;

/* Allocates the nodes of a tree. */
typedef struct PathNodes {
    StackSum others; /* sums of the paths that were too long or for which there was no room */
    Node *free_nodes;
    guint n_nodes;
    GPtrArray *chunks;   /* memory of the nodes */
    GHashTable *indexes; /* a set of all indexes of lists, which path_nodes_clear frees */
} PathNodes;

void path_nodes_init(PathNodes *nodes);
void path_nodes_clear(PathNodes *nodes);

/* Returns the node of an operator in a list; NULL: there is none. */
Node *node_list_find(const NodeList *list, StrobeStringId name);
/* Returns the node of an operator in a list, and adds it if there is none. Returns NULL if there is
 * no room. */
Node *node_list_add(PathNodes *nodes, NodeList *list, StrobeStringId name);
/* Drops a list, and adds its times and those of its subtrees to `others`. */
void node_list_drop(PathNodes *nodes, NodeList list);
/* Adds the nodes of the list `from`, with all their subtrees, to the list `into`. */
void node_list_merge(PathNodes *nodes, NodeList *into, NodeList from);

#endif
