/* SPDX-License-Identifier: Apache-2.0 */
/* Computes operator_detail from cpu_op. The self time of an operator is its duration minus the
 * durations of its direct children. */
#include "operator-tree.h"

#include <glib.h>
#include <strobe/helpers/fields.h>
#include <strobe/kinds.h>
#include <string.h>

#include "nesting.h"

enum { SEQUENCE, FORWARD_THREAD, SHAPES, TYPES, STACK, SCOPE, IS_ASYNC, N_WANTED };

static const StrobeWantedField wanted[N_WANTED] = {
    [SEQUENCE] = {"sequence", STROBE_FIELD_I64},
    [FORWARD_THREAD] = {"forward_thread", STROBE_FIELD_U64},
    [SHAPES] = {"shapes", STROBE_FIELD_STRING},
    [TYPES] = {"types", STROBE_FIELD_STRING},
    [STACK] = {"stack", STROBE_FIELD_STACK},
    [SCOPE] = {"scope", STROBE_FIELD_U8},
    [IS_ASYNC] = {"is_async", STROBE_FIELD_BOOL},
};

static const char *const kind_names[] = {"cpu_op"};

/* An operator that waits for its parent. */
typedef struct Entry {
    NestingSpan span;
    StrobeStringId name;
    struct strobe_operator_detail detail;
} Entry;

typedef struct OperatorTree {
    const StrobeConsumerHost *host;
    StrobeInstance *self;
    Nesting *nesting;
    StrobeKindNames kinds;
    StrobeBinder binder;
} OperatorTree;

static gboolean emit_operator(OperatorTree *tree, Entry *entry, gboolean is_top)
{
    struct strobe_operator_detail *fields = tree->host->emit(
        tree->self, 0, entry->span.track, entry->name, entry->span.begin_ns, entry->span.end_ns);

    if (!fields)
        return FALSE;
    *fields = entry->detail;
    fields->host_total = entry->span.end_ns - entry->span.begin_ns;
    fields->host_self = fields->is_async ? 0 : fields->host_total - entry->span.children_ns;
    fields->children = entry->span.children;
    fields->is_top = (uint8_t)is_top;
    return TRUE;
}

static gboolean adopt_operator(void *user, NestingSpan *parent, NestingSpan *child)
{
    return child->is_fold || emit_operator(user, (Entry *)child, FALSE);
}

static gboolean fold_operator(void *user, NestingSpan *span)
{
    return emit_operator(user, (Entry *)span, TRUE);
}

static gboolean merge_folds(void *user, NestingSpan *into, NestingSpan *from)
{
    return TRUE;
}

static gboolean emit_outermost(void *user, NestingSpan *span)
{
    return span->is_fold || emit_operator(user, (Entry *)span, TRUE);
}

static const NestingOps nesting_ops = {sizeof(Entry), adopt_operator, fold_operator, merge_folds,
                                       emit_outermost};

static StrobeStatus operator_tree_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                       void **state)
{
    OperatorTree *tree = g_new0(OperatorTree, 1);

    tree->host = host;
    tree->self = self;
    tree->kinds = (StrobeKindNames){.names = kind_names, .n_names = G_N_ELEMENTS(kind_names)};
    tree->binder.wanted = wanted;
    tree->binder.n_wanted = N_WANTED;
    tree->nesting = nesting_new(&nesting_ops, tree);
    *state = tree;
    return STROBE_OK;
}

static void read_operator(OperatorTree *tree, const StrobeView *record, Entry *entry)
{
    const uint32_t *offsets = strobe_binder_offsets(&tree->binder, record->kind);
    struct strobe_operator_detail *detail = &entry->detail;

    memset(entry, 0, sizeof *entry);
    entry->span.begin_ns = record->begin_ns;
    entry->span.end_ns = MAX(record->end_ns, record->begin_ns);
    entry->span.track = record->track;
    entry->name = record->name;
    detail->sequence = strobe_field_i64(record, offsets[SEQUENCE], -1);
    detail->forward_thread = strobe_field_u64(record, offsets[FORWARD_THREAD], 0);
    detail->shapes = strobe_field_u32(record, offsets[SHAPES], 0);
    detail->types = strobe_field_u32(record, offsets[TYPES], 0);
    detail->stack = strobe_field_u32(record, offsets[STACK], 0);
    detail->scope = strobe_field_u8(record, offsets[SCOPE], 0);
    detail->is_async = strobe_field_u8(record, offsets[IS_ASYNC], 0);
}

static StrobeStatus out_of_space(OperatorTree *tree)
{
    return tree->host->fail(tree->self, STROBE_ERROR_MEMORY, __FILE__, __LINE__,
                            "Cannot emit operator_detail: the host has no room for it");
}

static StrobeStatus operator_tree_batch(void *state, const StrobeView *records, size_t n)
{
    OperatorTree *tree = state;
    Entry entry;

    for (size_t i = 0; i < n; i++) {
        gboolean done;

        if (strobe_kind_place(&tree->kinds, records[i].kind) != 0)
            continue;
        read_operator(tree, &records[i], &entry);
        if (entry.detail.is_async)
            done = emit_operator(tree, &entry, FALSE);
        else
            done = nesting_add(tree->nesting, &entry.span);
        if (!done)
            return out_of_space(tree);
    }
    return STROBE_OK;
}

static StrobeStatus operator_tree_end(void *state)
{
    OperatorTree *tree = state;
    guint64 late;

    if (!nesting_finish(tree->nesting))
        return out_of_space(tree);
    late = nesting_adopted_late(tree->nesting);
    if (late)
        tree->host->log(tree->self, STROBE_LOG_WARNING,
                        "%" G_GUINT64_FORMAT " operators are shown as outermost though a longer "
                        "one encloses them: more than %d waited for it on one thread",
                        late, NESTING_PENDING_MAX);
    return STROBE_OK;
}

static void operator_tree_close(void *state)
{
    OperatorTree *tree = state;

    nesting_free(tree->nesting);
    g_free(tree);
}

const StrobeConsumerOps operator_tree_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = operator_tree_open,
    .batch = operator_tree_batch,
    .end = operator_tree_end,
    .close = operator_tree_close,
};
