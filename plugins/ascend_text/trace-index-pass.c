/* SPDX-License-Identifier: Apache-2.0 */
#include "trace-index-pass.h"

#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define SHAPES_MAX 65536u

/* A set of arguments that events of one row and category have. */
typedef struct Shape {
    guint64 sum;
    gint64 pid, tid;
    char *category; /* NULL: the events have no category */
    GPtrArray *keys;
} Shape;

static void free_shape(gpointer data)
{
    Shape *shape = data;

    g_free(shape->category);
    g_ptr_array_unref(shape->keys);
    g_free(shape);
}

void index_pass_init(IndexPass *index_pass)
{
    index_pass->shapes =
        g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, NULL, free_shape);
}

void index_pass_clear(IndexPass *index_pass)
{
    g_hash_table_unref(index_pass->shapes);
}

static guint64 add_text(guint64 sum, const char *text)
{
    for (; *text; text++)
        sum = (sum ^ (guchar)*text) * 0x100000001b3u;
    return (sum ^ 0xff) * 0x100000001b3u;
}

static guint64 sum_of(const TraceEvent *event)
{
    guint64 sum = 0xcbf29ce484222325u ^ ((guint64)event->pid * 0x9e3779b97f4a7c15u) ^
                  ((guint64)event->tid * 0xc2b2ae3d27d4eb4fu);

    sum = add_text(sum, event->has_category ? event->category : "\1");
    for (guint i = 0; i < event->n_args; i++)
        sum = add_text(sum, event->args[i].key);
    return sum;
}

void index_pass_take(IndexPass *index_pass, const TraceEvent *event)
{
    guint64 sum = sum_of(event);
    Shape *shape;

    if (g_hash_table_contains(index_pass->shapes, &sum) ||
        g_hash_table_size(index_pass->shapes) >= SHAPES_MAX)
        return;
    shape = g_new0(Shape, 1);
    shape->sum = sum;
    shape->pid = event->pid;
    shape->tid = event->tid;
    shape->category = event->has_category ? g_strdup(event->category) : NULL;
    shape->keys = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < event->n_args; i++)
        g_ptr_array_add(shape->keys, g_strdup(event->args[i].key));
    g_hash_table_insert(index_pass->shapes, &shape->sum, shape);
}

gboolean index_pass_is_task(const char *key)
{
    return !strcmp(key, "Task Type") || !strcmp(key, "Model Id");
}

/* Marks and iterations of a device are in the same rows as its tasks, but they have none of the
 * tasks' arguments. */
TraceKind *index_pass_kind_of(const TraceKinds *kinds, const Row *row, const char *category,
                              gboolean is_task)
{
    gint32 what = row->layer->what;

    if (what == ASCEND_LAYER_OVERLAP ||
        (what == ASCEND_LAYER_HARDWARE && (row->is_steps || !is_task)))
        return NULL;
    if (what == ASCEND_LAYER_COMMUNICATION && row->plane >= 0)
        category = "";
    return trace_kind_of(kinds, what, category);
}

void index_pass_finish(IndexPass *index_pass, Layers *layers, TraceKinds *kinds)
{
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, index_pass->shapes);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Shape *shape = value;
        gboolean is_task = FALSE;
        TraceKind *kind;

        for (guint i = 0; i < shape->keys->len; i++)
            is_task |= index_pass_is_task(g_ptr_array_index(shape->keys, i));
        kind = index_pass_kind_of(kinds, layers_row(layers, shape->pid, shape->tid),
                                  shape->category, is_task);
        if (kind)
            trace_kind_index_pass(kind, (const char *const *)shape->keys->pdata, shape->keys->len);
    }
    trace_kinds_finish(kinds);
}
