/* SPDX-License-Identifier: Apache-2.0 */
#include "path-nodes.h"

#include <math.h>
#include <string.h>

/* maximum number of nodes in a list without an index; they are searched one by one */
#define WIDTH_FEW 8
#define CHUNK 1000

void path_nodes_init(PathNodes *nodes)
{
    nodes->others.device_us = NAN;
    nodes->chunks = g_ptr_array_new_with_free_func(g_free);
    nodes->indexes = g_hash_table_new_full(g_direct_hash, g_direct_equal, id_index_free, NULL);
}

void path_nodes_clear(PathNodes *nodes)
{
    g_ptr_array_unref(nodes->chunks);
    g_hash_table_unref(nodes->indexes);
}

static Node *take_node(PathNodes *nodes)
{
    Node *node = nodes->free_nodes;

    if (node) {
        nodes->free_nodes = node->next;
        memset(node, 0, sizeof *node);
        node->device_us = NAN;
        return node;
    }
    if (nodes->n_nodes == NODES_MAX)
        return NULL;
    if (nodes->n_nodes % CHUNK == 0)
        g_ptr_array_add(nodes->chunks, g_new0(Node, CHUNK));
    node = (Node *)g_ptr_array_index(nodes->chunks, nodes->n_nodes / CHUNK);
    node += nodes->n_nodes++ % CHUNK;
    node->device_us = NAN;
    return node;
}

static void give_back_node(PathNodes *nodes, Node *node)
{
    node->next = nodes->free_nodes;
    nodes->free_nodes = node;
}

Node *node_list_find(const NodeList *list, StrobeStringId name)
{
    Node *node = list->first;

    if (list->index)
        return id_index_find(list->index, name);
    while (node && node->name != name)
        node = node->next;
    return node;
}

/* Adds a node at the front of the list. The list must not have a node with this name. */
static void put_first(PathNodes *nodes, NodeList *list, Node *node)
{
    node->next = list->first;
    list->first = node;
    list->width++;
    if (list->index) {
        id_index_add(list->index, node->name, node);
    } else if (list->width > WIDTH_FEW) {
        list->index = id_index_new(2 * WIDTH_FEW);
        g_hash_table_add(nodes->indexes, list->index);
        for (; node; node = node->next)
            id_index_add(list->index, node->name, node);
    }
}

/* Frees the index of a list that is dropped. The nodes of the list have moved or are freed. */
static void forget_index(PathNodes *nodes, NodeList *list)
{
    if (list->index)
        g_hash_table_remove(nodes->indexes, list->index);
    list->index = NULL;
}

/* Drops a node, and adds its time and that of its subtree to `others`. */
static void drop_node(PathNodes *nodes, Node *node)
{
    nodes->others.calls += node->calls;
    nodes->others.self_ns += node->self_ns;
    node_list_drop(nodes, node->children);
    give_back_node(nodes, node);
}

void node_list_drop(PathNodes *nodes, NodeList list)
{
    Node *next;

    for (Node *node = list.first; node; node = next) {
        next = node->next;
        drop_node(nodes, node);
    }
    forget_index(nodes, &list);
}

/* The recursion is at most HEIGHT_MAX calls deep. */
void node_list_merge(PathNodes *nodes, NodeList *into, NodeList from)
{
    Node *next;

    if (!into->first) {
        *into = from;
        return;
    }
    into->height = MAX(into->height, from.height);
    for (Node *node = from.first; node; node = next) {
        Node *same = node_list_find(into, node->name);

        next = node->next;
        if (same) {
            same->calls += node->calls;
            same->self_ns += node->self_ns;
            node_list_merge(nodes, &same->children, node->children);
            give_back_node(nodes, node);
        } else if (into->width < WIDTH_MAX) {
            put_first(nodes, into, node);
        } else {
            drop_node(nodes, node);
        }
    }
    forget_index(nodes, &from);
}

Node *node_list_add(PathNodes *nodes, NodeList *list, StrobeStringId name)
{
    Node *node = node_list_find(list, name);

    if (node)
        return node;
    node = list->width < WIDTH_MAX ? take_node(nodes) : NULL;
    if (node) {
        node->name = name;
        put_first(nodes, list, node);
        list->height = MAX(list->height, 1);
    }
    return node;
}
