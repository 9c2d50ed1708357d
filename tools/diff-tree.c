/* SPDX-License-Identifier: Apache-2.0 */
#include "diff-tree.h"

#include <string.h>
#include <strobe/helpers/fields.h>

#include "diff-marks.h"
#include "nesting.h"
#include "step-name.h"

#define NODES_MAX 1000000 /* maximum number of call paths, including those of open operators */
#define HEIGHT_MAX 512    /* maximum number of operators on one path */
#define WIDTH_MAX 65536   /* maximum number of different operators below one operator */
#define INDEX_AT 32       /* number of nodes in a list from which the list has a hash table */
#define CHUNK 1000
#define FRAMES_MAX 1024

enum { STACK, SCOPE, IS_ASYNC, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [STACK] = {"stack", STROBE_FIELD_STACK},
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};

typedef struct Node Node;

/* The operators below one parent. Operators with the same name are one node. */
typedef struct NodeList {
    Node *first;
    GHashTable *index; /* name -> Node; NULL: there are too few nodes for a table */
    guint height;      /* height of the tallest subtree */
    guint width;       /* number of nodes in this list */
} NodeList;

typedef struct Cell {
    gint block; /* block of the cell; STROBE_DIFF_OUTSIDE: in no step */
    guint calls;
    gint64 self_ns;
} Cell;

struct Node {
    StrobeStringId name;
    guint n_cells, room;
    Cell *cells; /* the memory is kept when the node is reused */
    NodeList children;
    Node *next;
};

/* An operator whose parent has not been added yet. */
typedef struct Entry {
    NestingSpan span;
    StrobeStringId name;
    StrobeStackId stack; /* 0: the operator counts for its call path */
    gint block;
    NodeList children;
} Entry;

struct StrobeDiffTree {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    const StrobeDiffSteps *steps;
    StrobeDiffTreeForm form;
    StrobeBinder binder;
    Nesting *nesting;
    NodeList roots;
    GHashTable *stacks; /* StrobeStackId -> Node, of which only the cells are used */
    StrobeDiffMarks marks;
    Node *free_nodes;
    guint n_nodes;
    GPtrArray *chunks; /* memory of the nodes: arrays of CHUNK nodes */
    StrobeDiffRest rest;
    /* sums up the paths that are too long or for which there is no room; only the cells are used */
    Node others;
};

/* ---- nodes ---- */

static Node *take_node(StrobeDiffTree *tree)
{
    Node *node = tree->free_nodes;

    if (node) {
        tree->free_nodes = node->next;
        *node = (Node){.cells = node->cells, .room = node->room};
        return node;
    }
    if (tree->n_nodes == NODES_MAX)
        return NULL;
    if (tree->n_nodes % CHUNK == 0)
        g_ptr_array_add(tree->chunks, g_new0(Node, CHUNK));
    node = g_ptr_array_index(tree->chunks, tree->n_nodes / CHUNK);
    return node + tree->n_nodes++ % CHUNK;
}

static void give_back_node(StrobeDiffTree *tree, Node *node)
{
    /* The memory of the cells is kept for the next use of the node, but not if there are many,
     * because few nodes need so many. */
    if (node->room > 4) {
        g_clear_pointer(&node->cells, g_free);
        node->room = 0;
    }
    node->children = (NodeList){0};
    node->next = tree->free_nodes;
    tree->free_nodes = node;
}

static void add_cell(Node *node, const Cell *more)
{
    for (guint i = node->n_cells; i > 0; i--)
        if (node->cells[i - 1].block == more->block) {
            node->cells[i - 1].calls += more->calls;
            node->cells[i - 1].self_ns += more->self_ns;
            return;
        }
    if (node->n_cells == node->room) {
        node->room = node->room ? node->room * 2 : 1;
        node->cells = g_renew(Cell, node->cells, node->room);
    }
    node->cells[node->n_cells++] = *more;
}

static void add_cells(Node *node, const Node *from)
{
    for (guint i = 0; i < from->n_cells; i++)
        add_cell(node, &from->cells[i]);
}

static Node *find_name(const NodeList *list, StrobeStringId name)
{
    Node *node = list->first;

    if (list->index)
        return g_hash_table_lookup(list->index, GUINT_TO_POINTER(name));
    while (node && node->name != name)
        node = node->next;
    return node;
}

static void link_node(NodeList *list, Node *node)
{
    node->next = list->first;
    list->first = node;
    list->width++;
    if (list->index) {
        g_hash_table_insert(list->index, GUINT_TO_POINTER(node->name), node);
        return;
    }
    if (list->width < INDEX_AT)
        return;
    list->index = g_hash_table_new(g_direct_hash, g_direct_equal);
    for (; node; node = node->next)
        g_hash_table_insert(list->index, GUINT_TO_POINTER(node->name), node);
}

static void drop_list(StrobeDiffTree *tree, NodeList list);

/* Drops a node, and adds its time and that of its subtree to `others`. */
static void drop_node(StrobeDiffTree *tree, Node *node)
{
    add_cells(&tree->others, node);
    drop_list(tree, node->children);
    give_back_node(tree, node);
}

static void drop_list(StrobeDiffTree *tree, NodeList list)
{
    Node *next;

    g_clear_pointer(&list.index, g_hash_table_unref);
    for (Node *node = list.first; node; node = next) {
        next = node->next;
        drop_node(tree, node);
    }
}

/* Merges the list `from` into `into`, with all subtrees. The recursion is at most HEIGHT_MAX
 * deep. */
static void merge_lists(StrobeDiffTree *tree, NodeList *into, NodeList from)
{
    Node *next;

    if (!into->first) {
        *into = from;
        return;
    }
    into->height = MAX(into->height, from.height);
    for (Node *node = from.first; node; node = next) {
        Node *same = find_name(into, node->name);

        next = node->next;
        if (same) {
            add_cells(same, node);
            merge_lists(tree, &same->children, node->children);
            give_back_node(tree, node);
        } else if (into->width < WIDTH_MAX) {
            link_node(into, node);
        } else {
            drop_node(tree, node);
        }
    }
    g_clear_pointer(&from.index, g_hash_table_unref);
}

/* Finds or adds the node with this name in a list. NULL: there is no room. */
static Node *node_in(StrobeDiffTree *tree, NodeList *list, StrobeStringId name)
{
    Node *node = find_name(list, name);

    if (node)
        return node;
    node = list->width < WIDTH_MAX ? take_node(tree) : NULL;
    if (node) {
        node->name = name;
        link_node(list, node);
        list->height = MAX(list->height, 1);
    }
    return node;
}

static Node *node_of_stack(StrobeDiffTree *tree, StrobeStackId stack)
{
    Node *node = g_hash_table_lookup(tree->stacks, GUINT_TO_POINTER(stack));

    if (!node) {
        node = take_node(tree);
        if (node)
            g_hash_table_insert(tree->stacks, GUINT_TO_POINTER(stack), node);
    }
    return node;
}

/* ---- nesting ---- */

/* Adds an operator with its children to the list. If `entry` is a fold (several operators that
 * nesting.h has merged), adds all operators of the fold. */
static void attach_entry(StrobeDiffTree *tree, NodeList *list, Entry *entry)
{
    const Cell cell = {entry->block, 1, entry->span.total_ns - entry->span.children_ns};
    Node *node;

    if (entry->span.is_fold) {
        merge_lists(tree, list, entry->children);
        return;
    }
    if (entry->stack) {
        node = node_of_stack(tree, entry->stack);
        add_cell(node ? node : &tree->others, &cell);
    }
    if (entry->stack && !entry->children.first)
        return;
    if (entry->children.height >= HEIGHT_MAX) {
        drop_list(tree, entry->children);
        entry->children = (NodeList){0};
    }
    node = node_in(tree, list, entry->name);
    if (node) {
        merge_lists(tree, &node->children, entry->children);
        list->height = MAX(list->height, 1 + node->children.height);
    } else {
        drop_list(tree, entry->children);
    }
    if (!entry->stack)
        add_cell(node ? node : &tree->others, &cell);
}

static gboolean adopt_child(void *user, NestingSpan *parent, NestingSpan *child)
{
    attach_entry(user, &((Entry *)parent)->children, (Entry *)child);
    return TRUE;
}

/* Converts an operator to a fold: its children become a list with one node, that of the operator,
 * which can be merged with the lists of other folds. */
static gboolean fold_span(void *user, NestingSpan *span)
{
    NodeList list = {0};

    attach_entry(user, &list, (Entry *)span);
    ((Entry *)span)->children = list;
    return TRUE;
}

static gboolean merge_spans(void *user, NestingSpan *into, NestingSpan *from)
{
    merge_lists(user, &((Entry *)into)->children, ((Entry *)from)->children);
    return TRUE;
}

static gboolean add_root(void *user, NestingSpan *span)
{
    StrobeDiffTree *tree = user;

    attach_entry(tree, &tree->roots, (Entry *)span);
    return TRUE;
}

static const NestingOps nesting_ops = {sizeof(Entry), adopt_child, fold_span, merge_spans,
                                       add_root};

/* ---- input ---- */

StrobeDiffTree *strobe_diff_tree_new(const StrobeConsumerHost *host, StrobeInstance *self,
                                     const StrobeDiffSteps *steps, StrobeDiffTreeForm form)
{
    StrobeDiffTree *tree = g_new0(StrobeDiffTree, 1);

    tree->host = host;
    tree->self = self;
    tree->steps = steps;
    tree->form = form;
    tree->binder.wanted = wanted;
    tree->binder.n_wanted = N_WANTED;
    tree->nesting = nesting_new(&nesting_ops, tree);
    tree->stacks = g_hash_table_new(g_direct_hash, g_direct_equal);
    strobe_diff_marks_init(&tree->marks, host, self);
    tree->chunks = g_ptr_array_new_with_free_func(g_free);
    return tree;
}

void strobe_diff_tree_free(StrobeDiffTree *tree)
{
    if (!tree)
        return;
    nesting_free(tree->nesting);
    g_hash_table_unref(tree->stacks);
    strobe_diff_marks_clear(&tree->marks);
    for (guint i = 0; i < tree->n_nodes; i++) {
        Node *node = (Node *)g_ptr_array_index(tree->chunks, i / CHUNK) + i % CHUNK;
        g_free(node->cells);
        g_clear_pointer(&node->children.index, g_hash_table_unref);
    }
    g_clear_pointer(&tree->roots.index, g_hash_table_unref);
    g_ptr_array_unref(tree->chunks);
    g_free(tree->others.cells);
    g_free(tree);
}

static gboolean is_of_form(StrobeDiffTree *tree, const StrobeView *record, const uint32_t *offsets)
{
    gint64 number;

    if (tree->form == STROBE_DIFF_MARKS)
        return !strobe_step_of_name(tree->host->string(tree->self, record->name).bytes, &number);
    return !strobe_diff_marks_have(&tree->marks, record->name,
                                   strobe_field_u8(record, offsets[SCOPE], 0));
}

void strobe_diff_tree_add(StrobeDiffTree *tree, const StrobeView *record)
{
    const uint32_t *offsets = strobe_binder_offsets(&tree->binder, record->kind);
    Entry entry = {.name = record->name};

    if (!is_of_form(tree, record, offsets))
        return;
    if (strobe_field_u8(record, offsets[IS_ASYNC], 0)) {
        tree->rest.n_async++;
        return;
    }
    entry.span.begin_ns = record->begin_ns;
    entry.span.end_ns = MAX(record->end_ns, record->begin_ns);
    entry.span.track = record->track;
    entry.block = strobe_diff_steps_at(tree->steps, record->begin_ns);
    if (tree->form == STROBE_DIFF_STACKS)
        entry.stack = strobe_field_u32(record, offsets[STACK], 0);
    nesting_add(tree->nesting, &entry.span);
}

/* ---- output ---- */

typedef struct Delivery {
    StrobeDiffTree *tree;
    StrobeDiffRows *rows;
    guint side;
    const char *path[HEIGHT_MAX]; /* innermost name first, so the array is filled from its end */
} Delivery;

static void deliver_cells(Delivery *d, const Node *node, const char *const *names, gsize n)
{
    StrobeDiffRow *row = NULL;

    for (guint i = 0; i < node->n_cells; i++) {
        const Cell *cell = &node->cells[i];
        if (cell->block == STROBE_DIFF_OUTSIDE) {
            d->tree->rest.n_outside += cell->calls;
            d->tree->rest.outside_ns += (double)cell->self_ns;
            continue;
        }
        if (!row)
            row = n ? strobe_diff_rows_get(d->rows, names, n) : NULL;
        strobe_diff_rows_add(d->rows, row, d->side, (guint32)cell->block, (double)cell->self_ns,
                             cell->calls);
    }
}

static void deliver_list(Delivery *d, const NodeList *list, guint depth)
{
    const char **names = d->path + HEIGHT_MAX - (depth + 1);

    for (const Node *node = list->first; node; node = node->next) {
        *names = d->tree->host->string(d->tree->self, node->name).bytes;
        deliver_cells(d, node, names, depth + 1);
        if (depth + 1 < HEIGHT_MAX)
            deliver_list(d, &node->children, depth + 1);
    }
}

static void deliver_stacks(Delivery *d)
{
    GHashTableIter iter;
    gpointer key, node;

    g_hash_table_iter_init(&iter, d->tree->stacks);
    while (g_hash_table_iter_next(&iter, &key, &node)) {
        const char *names[FRAMES_MAX];
        const StrobeStringId *frames;
        size_t n = d->tree->host->stack_frames(d->tree->self, GPOINTER_TO_UINT(key), &frames);

        n = MIN(n, FRAMES_MAX);
        for (size_t i = 0; i < n; i++)
            names[i] = d->tree->host->string(d->tree->self, frames[i]).bytes;
        deliver_cells(d, node, names, n);
    }
}

void strobe_diff_tree_finish(StrobeDiffTree *tree, StrobeDiffRows *rows, guint side,
                             StrobeDiffRest *rest)
{
    Delivery *d = g_new0(Delivery, 1);

    *d = (Delivery){.tree = tree, .rows = rows, .side = side};
    nesting_finish(tree->nesting);
    deliver_stacks(d);
    deliver_list(d, &tree->roots, 0);
    deliver_cells(d, &tree->others, NULL, 0);
    *rest = tree->rest;
    g_free(d);
}
