/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by the path of their enclosing operators: lists of nodes, each with the list below it.
 * Operators for which there is no room count in `others`. */
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
    IdIndex *index; /* index of all of them, if there are more than WIDTH_FEW */
    guint height;   /* height of the tallest subtree, at most HEIGHT_MAX */
    guint width;    /* nodes in this list, at most WIDTH_MAX */
} NodeList;

/* `calls` 0: only an inner node of a path. */
struct Node {
    StrobeStringId name;
    guint64 calls;
    gint64 self_ns;
    double device_us; /* NAN: none; counted when the tree is complete */
    NodeList children;
    Node *next;
};

typedef struct StackSum {
    guint64 calls;
    gint64 self_ns;
    double device_us;
} StackSum;

/* Allocator of nodes. */
typedef struct PathNodes {
    StackSum others; /* paths without room or too long ones */
    Node *free_nodes;
    guint n_nodes;
    GPtrArray *chunks;   /* memory of the nodes */
    GHashTable *indexes; /* all existing indexes, to be freed */
} PathNodes;

void path_nodes_init(PathNodes *nodes);
void path_nodes_clear(PathNodes *nodes);

/* NULL: the list has no operator with the name. */
Node *node_list_find(const NodeList *list, StrobeStringId name);
/* The node of an operator in a list, created if necessary; NULL if there is no room. */
Node *node_list_add(PathNodes *nodes, NodeList *list, StrobeStringId name);
/* Drops a list: its time, and that of its subtrees, goes to the others. */
void node_list_drop(PathNodes *nodes, NodeList list);
/* Merges the list `from` into `into`, whole subtrees. */
void node_list_merge(PathNodes *nodes, NodeList *into, NodeList from);

#endif
