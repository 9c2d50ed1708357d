/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes stack_total from cpu_op and operator_device: sums of self time by the operator's Python
 * call stack. If the operator has none, the sums are by the path of the operators that enclose it.
 */
#include "stack-total.h"

#include <glib.h>
#include <math.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>
#include <string.h>

#include "nesting.h"
#include "path-nodes.h"

#define STACKS_MAX 300000 /* maximum number of different Python stacks */

enum { STACK, IS_ASYNC, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [STACK] = {"stack", STROBE_FIELD_STACK},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};

enum { DEVICE_STACK, DEVICE_SELF, N_DEVICE };

static const StrobeWantedField device_wanted[N_DEVICE] = {
    [DEVICE_STACK] = {"stack", STROBE_FIELD_STACK},
    [DEVICE_SELF] = {"device_self", STROBE_FIELD_F64},
};

/* Adds a device time to a sum; NAN means that there is no time. */
static void add_us(double *sum, double us)
{
    if (!isnan(us))
        *sum = isnan(*sum) ? us : *sum + us;
}

/* An operator with device time. Records of such operators come in the order of their begins. */
typedef struct OpenSpan {
    gint64 end_ns;
    Node *node; /* NULL: the operator has no node */
} OpenSpan;

/* An operator that waits for its parent. */
typedef struct Entry {
    NestingSpan span;
    StrobeStringId name;
    StrobeStackId stack;
    NodeList children;
} Entry;

typedef struct StackTotal {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    Nesting *nesting;
    StrobeBinder binder, device_binder;
    GHashTable *stacks; /* StrobeStackId -> StackSum */
    GHashTable *open;   /* StrobeTrackId -> GArray of OpenSpan */
    NodeList roots;
    PathNodes nodes;
    guint64 n_device_others; /* number of operators with device time that count in `others` */
    gboolean is_incomplete;  /* operators were lost, but it is not known on which paths */
} StackTotal;

/* Returns the sum of a stack, and adds it if necessary. If there are too many stacks, returns
 * `others`, the sum of all further stacks. */
static StackSum *sum_of(StackTotal *total, StrobeStackId stack)
{
    StackSum *sum = g_hash_table_lookup(total->stacks, GUINT_TO_POINTER(stack));

    if (!sum && g_hash_table_size(total->stacks) >= STACKS_MAX)
        return &total->nodes.others;
    if (!sum) {
        sum = g_new0(StackSum, 1);
        sum->device_us = NAN;
        g_hash_table_insert(total->stacks, GUINT_TO_POINTER(stack), sum);
    }
    return sum;
}

/* Counts the time of an operator that has a Python stack. */
static void count_stack(StackTotal *total, StrobeStackId stack, gint64 self_ns)
{
    StackSum *sum = sum_of(total, stack);

    sum->calls++;
    sum->self_ns += self_ns;
}

/* Adds an operator to the list. If `entry` is a fold (several operators that nesting.h has merged),
 * adds all operators of the fold. */
static void attach_entry(StackTotal *total, NodeList *list, Entry *entry)
{
    gint64 self_ns = entry->span.total_ns - entry->span.children_ns;
    Node *node;

    if (entry->span.is_fold) {
        node_list_merge(&total->nodes, list, entry->children);
        return;
    }
    if (entry->stack)
        count_stack(total, entry->stack, self_ns);
    if (entry->stack && !entry->children.first)
        return;
    if (entry->children.height >= HEIGHT_MAX) {
        node_list_drop(&total->nodes, entry->children);
        entry->children = (NodeList){0};
    }
    node = node_list_add(&total->nodes, list, entry->name);
    if (node) {
        node_list_merge(&total->nodes, &node->children, entry->children);
        list->height = MAX(list->height, 1 + node->children.height);
    } else {
        node_list_drop(&total->nodes, entry->children);
    }
    if (entry->stack)
        return;
    if (node) {
        node->calls++;
        node->self_ns += self_ns;
    } else {
        total->nodes.others.calls++;
        total->nodes.others.self_ns += self_ns;
    }
}

static gboolean adopt_operator(void *user, NestingSpan *parent, NestingSpan *child)
{
    attach_entry(user, &((Entry *)parent)->children, (Entry *)child);
    return TRUE;
}

/* Converts an operator to a fold: a list with one node, which can be merged with other lists. */
static gboolean fold_entry(void *user, NestingSpan *span)
{
    Entry *entry = (Entry *)span;
    NodeList list = {0};

    attach_entry(user, &list, entry);
    entry->children = list;
    return TRUE;
}

static gboolean merge_entries(void *user, NestingSpan *into, NestingSpan *from)
{
    node_list_merge(&((StackTotal *)user)->nodes, &((Entry *)into)->children,
                    ((Entry *)from)->children);
    return TRUE;
}

static gboolean attach_outermost(void *user, NestingSpan *span)
{
    StackTotal *total = user;

    attach_entry(total, &total->roots, (Entry *)span);
    return TRUE;
}

static const NestingOps nesting_ops = {sizeof(Entry), adopt_operator, fold_entry, merge_entries,
                                       attach_outermost};

static StrobeStatus stack_total_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                     void **state)
{
    StackTotal *total = g_new0(StackTotal, 1);

    total->host = host;
    total->self = self;
    total->binder.wanted = wanted;
    total->binder.n_wanted = N_WANTED;
    total->device_binder.wanted = device_wanted;
    total->device_binder.n_wanted = N_DEVICE;
    path_nodes_init(&total->nodes);
    total->open =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, (GDestroyNotify)g_array_unref);
    total->nesting = nesting_new(&nesting_ops, total);
    total->stacks = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    *state = total;
    return STROBE_OK;
}

static void add_operator(StackTotal *total, const StrobeView *record)
{
    const uint32_t *offsets = strobe_binder_offsets(&total->binder, record->kind);
    Entry entry = {.name = record->name};

    if (strobe_field_u8(record, offsets[IS_ASYNC], 0))
        return;
    entry.span.begin_ns = record->begin_ns;
    entry.span.end_ns = MAX(record->end_ns, record->begin_ns);
    entry.span.track = record->track;
    entry.stack = strobe_field_u32(record, offsets[STACK], 0);
    nesting_add(total->nesting, &entry.span);
}

/* Returns the operators that enclose `record` on its thread. First removes the operators that have
 * ended. */
static GArray *open_spans(StackTotal *total, const StrobeView *record)
{
    GArray *open = g_hash_table_lookup(total->open, GUINT_TO_POINTER(record->track));

    if (!open) {
        open = g_array_new(FALSE, FALSE, sizeof(OpenSpan));
        g_hash_table_insert(total->open, GUINT_TO_POINTER(record->track), open);
    }
    while (open->len && g_array_index(open, OpenSpan, open->len - 1).end_ns < record->end_ns)
        g_array_set_size(open, open->len - 1);
    return open;
}

/* Returns whether the operator has a thread and a time. Operators from a table of the source have
 * neither, so the operators that enclose them are unknown. */
static gboolean is_placed(const StackTotal *total, const StrobeView *record)
{
    const StrobeTrackView *track = total->host->track(total->self, record->track);

    return !track || track->type != STROBE_TRACK_COUNTER;
}

/* Returns the node of an operator in the complete tree; NULL: there is none. */
static Node *find_node(StackTotal *total, const StrobeView *record)
{
    GArray *open;
    const OpenSpan *around;
    OpenSpan span = {.end_ns = record->end_ns};

    if (!is_placed(total, record))
        return node_list_add(&total->nodes, &total->roots, record->name);
    open = open_spans(total, record);
    around = open->len ? &g_array_index(open, OpenSpan, open->len - 1) : NULL;
    if (!around)
        span.node = node_list_find(&total->roots, record->name);
    else if (around->node)
        span.node = node_list_find(&around->node->children, record->name);
    if (open->len < HEIGHT_MAX)
        g_array_append_val(open, span);
    return span.node;
}

static void add_device(StackTotal *total, const StrobeView *record)
{
    const uint32_t *offsets = strobe_binder_offsets(&total->device_binder, record->kind);
    StrobeStackId stack = strobe_field_u32(record, offsets[DEVICE_STACK], 0);
    double us = offsets[DEVICE_SELF] == STROBE_FIELD_MISSING
                    ? NAN
                    : strobe_view_f64(record, offsets[DEVICE_SELF]);
    Node *node = find_node(total, record);

    if (stack) {
        add_us(&sum_of(total, stack)->device_us, us);
    } else if (node) {
        add_us(&node->device_us, us);
    } else if (!isnan(us)) {
        add_us(&total->nodes.others.device_us, us);
        total->n_device_others++;
    }
}

static StrobeStatus stack_total_batch(void *state, const StrobeView *records, size_t n)
{
    StackTotal *total = state;

    for (size_t i = 0; i < n; i++) {
        if (!strcmp(records[i].kind->name, "cpu_op"))
            add_operator(total, &records[i]);
        else if (!strcmp(records[i].kind->name, "operator_device"))
            add_device(total, &records[i]);
    }
    return STROBE_OK;
}

static StrobeStatus stack_total_raw_end(void *state)
{
    nesting_finish(((StackTotal *)state)->nesting);
    return STROBE_OK;
}

static gboolean emit_total(StackTotal *total, StrobeStringId name, StrobeStackId path,
                           const StackSum *sum)
{
    gint64 at = total->host->metadata(total->self)->window_begin_ns;
    struct strobe_stack_total *fields = total->host->emit(total->self, 0, 0, name, at, at);

    if (!fields)
        return FALSE;
    if (total->is_incomplete)
        total->host->flag(total->self, STROBE_VIEW_INCOMPLETE);
    fields->host_self = sum->self_ns;
    fields->calls = sum->calls;
    fields->device_self = sum->device_us;
    fields->path = path;
    return TRUE;
}

/* Emits the records of a list and of its subtrees. A path has the innermost name first, so `path`
 * is filled from its end. */
static gboolean emit_list(StackTotal *total, const NodeList *list, StrobeStringId *path,
                          guint depth)
{
    StrobeStringId *frames;

    if (depth == HEIGHT_MAX)
        return TRUE;
    frames = path + HEIGHT_MAX - (depth + 1);
    for (const Node *node = list->first; node; node = node->next) {
        const StackSum sum = {node->calls, node->self_ns, node->device_us};

        *frames = node->name;
        if ((node->calls || !isnan(node->device_us)) &&
            !emit_total(total, node->name, total->host->stack(total->self, frames, depth + 1),
                        &sum))
            return FALSE;
        if (!emit_list(total, &node->children, path, depth + 1))
            return FALSE;
    }
    return TRUE;
}

static gboolean emit_others(StackTotal *total)
{
    StrobeStringId name;

    if (!total->nodes.others.calls && isnan(total->nodes.others.device_us))
        return TRUE;
    total->host->log(total->self, STROBE_LOG_WARNING,
                     "The time of %" G_GUINT64_FORMAT
                     " operators is shown as \"(others)\": their call paths were not recorded, or "
                     "there are more than %d stacks, %d call paths, %d operators on one path or %d "
                     "different operators below one operator",
                     MAX(total->nodes.others.calls, total->n_device_others), STACKS_MAX, NODES_MAX,
                     HEIGHT_MAX, WIDTH_MAX);
    name = total->host->intern(total->self, "(others)", 8);
    return emit_total(total, name, total->host->stack(total->self, &name, 1), &total->nodes.others);
}

static gboolean emit_stacks(StackTotal *total)
{
    GHashTableIter iter;
    gpointer key, value;

    g_hash_table_iter_init(&iter, total->stacks);
    while (g_hash_table_iter_next(&iter, &key, &value)) {
        const StackSum *sum = value;
        StrobeStackId stack = GPOINTER_TO_UINT(key);
        const StrobeStringId *frames;
        size_t n = total->host->stack_frames(total->self, stack, &frames);

        if (!emit_total(total, n ? frames[0] : 0, stack, sum))
            return FALSE;
    }
    return TRUE;
}

static StrobeStatus stack_total_end(void *state)
{
    StackTotal *total = state;
    StrobeStringId path[HEIGHT_MAX];

    /* does nothing if it was already called at the end of the raw records */
    nesting_finish(total->nesting);
    total->is_incomplete = total->host->touches_gap(total->self, 0, G_MININT64, G_MAXINT64) != 0;
    if (emit_stacks(total) && emit_list(total, &total->roots, path, 0) && emit_others(total))
        return STROBE_OK;
    return total->host->fail(total->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                             "Cannot emit stack_total: the host has no room for it");
}

static void stack_total_close(void *state)
{
    StackTotal *total = state;

    nesting_free(total->nesting);
    g_hash_table_unref(total->stacks);
    g_hash_table_unref(total->open);
    path_nodes_clear(&total->nodes);
    g_free(total);
}

const StrobeConsumerOps stack_total_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = stack_total_open,
    .batch = stack_total_batch,
    .end = stack_total_end,
    .close = stack_total_close,
    .raw_end = stack_total_raw_end,
};
