/* SPDX-License-Identifier: Apache-2.0 */
#include "ascend-text-layers.h"

#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define ROWS_MAX 100000u
#define SORT_INDEX_MSTX 6
#define SORT_INDEX_CANN 7

static void free_layer(gpointer data)
{
    g_free(((Layer *)data)->name);
    g_free(data);
}

static void free_row(gpointer data)
{
    g_free(((Row *)data)->name);
    g_free(data);
}

static guint hash_row(gconstpointer key)
{
    const Row *row = key;

    return (guint)strobe_hash_pair(strobe_hash_key(), (guint64)row->pid, (guint64)row->tid);
}

static gboolean equal_rows(gconstpointer a, gconstpointer b)
{
    const Row *x = a, *y = b;

    return x->pid == y->pid && x->tid == y->tid;
}

void layers_init(Layers *layers, Import *import)
{
    *layers = (Layers){.import = import};
    layers->layers = g_hash_table_new_full(strobe_hash_of_number, g_int64_equal, NULL, free_layer);
    layers->rows = g_hash_table_new_full(hash_row, equal_rows, NULL, free_row);
}

void layers_clear(Layers *layers)
{
    g_hash_table_unref(layers->rows);
    g_hash_table_unref(layers->layers);
}

static Layer *layer_of(Layers *layers, gint64 pid)
{
    Layer *layer = g_hash_table_lookup(layers->layers, &pid);

    if (!layer) {
        layer = g_new0(Layer, 1);
        layer->pid = pid;
        layer->what = layer->device = -1;
        g_hash_table_insert(layers->layers, &layer->pid, layer);
    }
    return layer;
}

Row *layers_row(Layers *layers, gint64 pid, gint64 tid)
{
    const Row key = {.pid = pid, .tid = tid};
    Row *row = layers->last;

    if (row && row->pid == pid && row->tid == tid)
        return row;
    row = g_hash_table_lookup(layers->rows, &key);
    if (!row && g_hash_table_size(layers->rows) >= ROWS_MAX) {
        row = &layers->overflow;
        *row = key;
        row->plane = -1;
        row->layer = layer_of(layers, 0);
        return row;
    }
    if (!row) {
        row = g_memdup2(&key, sizeof key);
        row->plane = -1;
        row->layer = layer_of(layers, pid);
        g_hash_table_add(layers->rows, row);
    }
    layers->last = row;
    return row;
}

/* Reads the label of a layer. Newer traces have the device in the label, older traces in the low
 * bits of the pid. */
static void take_label(Layers *layers, Layer *layer, const char *label)
{
    Import *import = layers->import;

    layer->is_labelled = TRUE;
    if (!g_str_has_prefix(label, "NPU"))
        return;
    if (label[3] == ' ') {
        layer->device = atoi(label + 4);
        import->generation = 3;
    } else {
        layer->device = (gint)(layer->pid & 31);
        import->generation = MAX(import->generation, 1);
    }
    if (import->device < 0)
        import->device = layer->device;
}

static void take_name(Layers *layers, Layer *layer, const char *name)
{
    const AscendLayer *known = ascend_layer_by_name(name);

    g_free(layer->name);
    layer->name = g_strdup(name);
    layer->what = known ? (gint32)known->layer : -1;
    if (layer->what == ASCEND_LAYER_PYTHON && !layers->import->pid)
        layers->import->pid = layer->pid;
}

/* Sets the row's communicator from the name "Group <name> Communication". Older traces have a
 * running number in place of the name. */
static void take_group(Layers *layers, Row *row, const char *name)
{
    const char *begin, *end;
    g_autofree char *group = NULL;

    if (!g_str_has_prefix(name, "Group "))
        return;
    begin = name + strlen("Group ");
    end = strstr(begin, " Communication");
    if (!end)
        return;
    group = g_strndup(begin, (gsize)(end - begin));
    if (g_str_has_suffix(group, " Aicpu"))
        group[strlen(group) - strlen(" Aicpu")] = '\0';
    if (group[strspn(group, "0123456789")])
        row->group = text_import_intern(layers->import, group);
}

static void take_row_name(Layers *layers, Row *row, const char *name)
{
    g_free(row->name);
    row->name = g_strdup(name);
    row->is_steps = g_str_has_prefix(name, "Step Trace(");
    if (g_str_has_prefix(name, "Plane ") && g_ascii_isdigit(name[6]))
        row->plane = (gint)MIN(strtoul(name + 6, NULL, 10), G_MAXINT);
    else
        take_group(layers, row, name);
}

void layers_take(Layers *layers, const TraceEvent *event)
{
    const TraceArg *name = trace_event_arg(event, "name");
    const TraceArg *label = trace_event_arg(event, "labels");

    if (name && !strcmp(event->name, "process_name"))
        take_name(layers, layer_of(layers, event->pid), name->text);
    else if (label && !strcmp(event->name, "process_labels"))
        take_label(layers, layer_of(layers, event->pid), label->text);
    else if (name && !strcmp(event->name, "thread_name"))
        take_row_name(layers, layers_row(layers, event->pid, event->tid), name->text);
}

/* ---- layers by their numbers ---- */

static gboolean is_layer_of(const Import *import, gint64 pid, guint32 sort_index)
{
    return import->pid && (guint32)pid >> 10 == ((guint32)import->pid & 0x3fffff) &&
           ((guint32)pid >> 5 & 31) == sort_index;
}

static void set_name(Layer *layer, gint32 what, const char *name)
{
    layer->what = what;
    if (!layer->name)
        layer->name = g_strdup(name);
}

/* If no layer of the framework shows the process id, determines it from the lowest pid of the other
 * layers. */
static void find_process(Layers *layers)
{
    Import *import = layers->import;
    GHashTableIter iter;
    gpointer value;
    gint64 least = G_MAXINT64;

    g_hash_table_iter_init(&iter, layers->layers);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const Layer *layer = value;

        if (layer->what >= 0 && (guint32)layer->pid >> 10 && layer->pid > 0)
            least = MIN(least, layer->pid);
    }
    if (!import->pid && least != G_MAXINT64)
        import->pid = (gint64)((guint32)least >> 10);
}

/* Recognises layers by their numbers: a trace of level 0 does not contain the name of CANN's layer,
 * and the layer of the program's own marks has the name of the program. */
static void find_by_number(Layers *layers)
{
    Import *import = layers->import;
    GHashTableIter iter;
    gpointer value;

    g_hash_table_iter_init(&iter, layers->layers);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        Layer *layer = value;

        if (layer->what < 0 && !layer->name && is_layer_of(import, layer->pid, SORT_INDEX_CANN)) {
            set_name(layer, ASCEND_LAYER_CANN, "CANN");
            import->level = MAX(import->level, 0);
        } else if (layer->what < 0 && is_layer_of(import, layer->pid, SORT_INDEX_MSTX)) {
            set_name(layer, ASCEND_LAYER_MSTX, "mstx");
        } else if (layer->what == ASCEND_LAYER_CANN) {
            import->level = MAX(import->level, 1);
        }
    }
}

/* Sorts rows by pid and tid, so that the planes, which get their group's communicator, follow the
 * group. */
static gint compare_rows(gconstpointer a, gconstpointer b)
{
    const Row *x = *(const Row *const *)a, *y = *(const Row *const *)b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static GPtrArray *sorted_rows(const Layers *layers)
{
    GPtrArray *rows = g_ptr_array_new();
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, layers->rows);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        g_ptr_array_add(rows, key);
    g_ptr_array_sort(rows, compare_rows);
    return rows;
}

static void find_groups(Layers *layers)
{
    g_autoptr(GPtrArray) rows = sorted_rows(layers);
    const Row *group = NULL;

    for (guint i = 0; i < rows->len; i++) {
        Row *row = g_ptr_array_index(rows, i);

        if (row->layer->what != ASCEND_LAYER_COMMUNICATION)
            continue;
        if (row->plane < 0)
            group = row;
        else if (group && group->pid == row->pid)
            row->group = group->group;
    }
}

void layers_finish(Layers *layers)
{
    find_process(layers);
    find_by_number(layers);
    find_groups(layers);
}

/* ---- tracks ---- */

static guint32 track_type(const Row *row)
{
    switch (row->layer->what) {
    case ASCEND_LAYER_HARDWARE:
        return STROBE_TRACK_STREAM;
    case ASCEND_LAYER_COMMUNICATION:
        return row->plane >= 0 ? STROBE_TRACK_PLANE : STROBE_TRACK_STREAM;
    case ASCEND_LAYER_COUNTERS:
    case ASCEND_LAYER_OTHER:
    case ASCEND_LAYER_OVERLAP:
        return STROBE_TRACK_COUNTER;
    default:
        return STROBE_TRACK_THREAD;
    }
}

StrobeTrackId layers_track(Layers *layers, Row *row)
{
    const Import *import = layers->import;
    const Layer *layer = row->layer;
    gint64 pid = import->pid || layer->what >= 0 ? import->pid : row->pid;

    if (row->track)
        return row->track;
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = track_type(row),
                               .device = layer->device,
                               .id = (guint64)row->tid,
                               .name = row->name,
                               .group = layer->what == ASCEND_LAYER_PYTHON ? NULL : layer->name};
    row->track = import->host->track(import->self, &track, (guint64)pid);
    return row->track;
}

void layers_track_all(Layers *layers)
{
    g_autoptr(GPtrArray) rows = sorted_rows(layers);

    for (guint i = 0; i < rows->len; i++) {
        Row *row = g_ptr_array_index(rows, i);

        if (row->name &&
            (row->layer->what == ASCEND_LAYER_CANN || row->layer->what == ASCEND_LAYER_HARDWARE ||
             row->layer->what == ASCEND_LAYER_COMMUNICATION))
            layers_track(layers, row);
    }
}
