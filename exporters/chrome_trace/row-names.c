/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the M events, which name layers and rows, in the orders of the generations. */
#include <string.h>
#include <strobe/helpers/json-writer.h>

#include "prune.h"
#include "chrome-trace-rows.h"

/* Writes an M event with one argument, whose value is `text` or, if `text` is NULL, `number`. */
static void write_event(TraceOut *out, const TraceRows *rows, const TraceLayer *layer,
                        const char *name, guint64 tid, const char *key, const char *text,
                        guint64 number)
{
    StrobeJsonWriter json;
    gboolean is_old = rows->generation < 3 && !layer->is_framework;

    trace_out_done(out, trace_out_event(out));
    strobe_json_init(&json, trace_out_sink, out, STROBE_JSON_SPACED);
    strobe_json_begin_object(&json);
    if (layer->is_framework) {
        strobe_json_key(&json, "ph");
        strobe_json_string(&json, "M");
    }
    strobe_json_key(&json, "name");
    strobe_json_string(&json, name);
    strobe_json_key(&json, "pid");
    strobe_json_uint(&json, layer->pid);
    strobe_json_key(&json, "tid");
    strobe_json_uint(&json, tid);
    if (!layer->is_framework && !is_old) {
        strobe_json_key(&json, "ph");
        strobe_json_string(&json, "M");
    }
    strobe_json_key(&json, "args");
    strobe_json_begin_object(&json);
    strobe_json_key(&json, key);
    if (text)
        strobe_json_string(&json, text);
    else
        strobe_json_uint(&json, number);
    strobe_json_end_object(&json);
    if (is_old) {
        strobe_json_key(&json, "ph");
        strobe_json_string(&json, "M");
    }
    strobe_json_end_object(&json);
    strobe_json_flush(&json);
}

static void write_name(TraceOut *out, const TraceRows *rows, const TraceLayer *layer)
{
    if (rows->level == 0 && prune_has_name(layer->name))
        return;
    write_event(out, rows, layer, "process_name", 0, "name", layer->name, 0);
}

/* Returns whether the device is not an Ascend device: readers do not know its layer, and it has no
 * layer "Ascend Hardware". */
static gboolean is_external(const TraceRows *rows, gint32 device)
{
    gboolean has_own_layer = FALSE;

    for (guint i = 0; i < rows->layers->len; i++) {
        const TraceLayer *layer = g_ptr_array_index(rows->layers, i);
        if (layer->device != device)
            continue;
        if (layer->known && layer->known->layer == ASCEND_LAYER_HARDWARE)
            return FALSE;
        has_own_layer |= layer->known == NULL;
    }
    return has_own_layer;
}

static void write_label(TraceOut *out, const TraceRows *rows, const TraceLayer *layer)
{
    const char *what = layer->device < 0                  ? "CPU"
                       : is_external(rows, layer->device) ? "Device"
                                                          : "NPU";
    char label[32];

    if (layer->device < 0 || rows->generation < 3)
        g_strlcpy(label, what, sizeof label);
    else
        g_snprintf(label, sizeof label, "%s %d", what, layer->device);
    write_event(out, rows, layer, "process_labels", 0, "labels", label, 0);
    write_event(out, rows, layer, "process_sort_index", 0, "sort_index", NULL, layer->sort_index);
}

/* Returns a sort index that is greater than those of all threads. Threads that run the queue get
 * it. */
static guint64 behind_all(const TraceLayer *layer)
{
    guint64 last = 0;

    for (guint i = 0; i < layer->rows->len; i++) {
        const TraceRow *row = layer->rows->pdata[i];

        if (row->tid < TRACE_FIRST_EXTRA_TID)
            last = MAX(last, row->tid);
    }
    return last + 1;
}

static gboolean has_sort_indices(const TraceRows *rows, const TraceLayer *layer)
{
    guint32 known = layer->known ? layer->known->layer : ASCEND_LAYER_OTHER;

    return known != ASCEND_LAYER_OS_CALL &&
           (known != ASCEND_LAYER_OVERLAP || rows->generation == 3);
}

enum { NAMES = 1, SORT_INDICES = 2 };

static void write_rows(TraceOut *out, const TraceRows *rows, const TraceLayer *layer, guint what)
{
    guint64 last = layer->is_process ? behind_all(layer) : 0;

    for (guint i = layer->n_named; i < layer->rows->len; i++) {
        const TraceRow *row = layer->rows->pdata[i];

        if (!row->name)
            continue;
        if (what & NAMES)
            write_event(out, rows, layer, "thread_name", row->tid, "name", row->name, 0);
        if (what & SORT_INDICES)
            write_event(out, rows, layer, "thread_sort_index", row->tid, "sort_index", NULL,
                        row->has_dequeues ? last : row->sort_index);
    }
}

/* Writes a device layer of older files: its name, then its rows, then its other M events. */
static void write_old_layer(TraceOut *out, const TraceRows *rows, const TraceLayer *layer)
{
    gboolean in_pairs = layer->known && layer->known->layer == ASCEND_LAYER_HARDWARE;

    if (!layer->is_named)
        write_name(out, rows, layer);
    write_rows(out, rows, layer, in_pairs ? NAMES | SORT_INDICES : NAMES);
    if (!in_pairs && has_sort_indices(rows, layer))
        write_rows(out, rows, layer, SORT_INDICES);
    if (!layer->is_named)
        write_label(out, rows, layer);
}

static gint compare_orders(gconstpointer a, gconstpointer b)
{
    const TraceRow *x = *(TraceRow *const *)a, *y = *(TraceRow *const *)b;

    return x->order - y->order;
}

static void write_layer(TraceOut *out, const TraceRows *rows, TraceLayer *layer)
{
    if (layer->is_process && !layer->is_named)
        g_ptr_array_sort(layer->rows, compare_orders); /* the sort keeps the order of equal rows */
    if (!layer->is_framework && rows->generation < 3) {
        write_old_layer(out, rows, layer);
    } else {
        if (!layer->is_named) {
            write_name(out, rows, layer);
            write_label(out, rows, layer);
        }
        write_rows(out, rows, layer, has_sort_indices(rows, layer) ? NAMES | SORT_INDICES : NAMES);
    }
    layer->is_named = TRUE;
    layer->n_named = layer->rows->len;
}

void trace_rows_write(TraceRows *rows, guint which, TraceOut *out)
{
    for (guint i = 0; i < rows->layers->len; i++) {
        TraceLayer *layer = rows->layers->pdata[i];
        guint row_type = layer->is_process     ? TRACE_LAYERS_PROCESS
                         : layer->is_framework ? TRACE_LAYERS_GC
                                               : TRACE_LAYERS_OTHER;

        if (row_type == which)
            write_layer(out, rows, layer);
    }
}
