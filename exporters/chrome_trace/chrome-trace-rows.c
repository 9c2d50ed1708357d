/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome-trace-rows.h"

#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/keyed-hash.h>

#define GC_LAYER "Python GC"
#define MARKER_SORT_INDEX 6
#define HOST_DEVICE 31u
#define NS_PER_S 1000000000

static void free_row(gpointer row)
{
    g_free(((TraceRow *)row)->name);
    g_free(row);
}

static void free_layer(gpointer user)
{
    TraceLayer *layer = user;

    g_hash_table_unref(layer->extra);
    g_hash_table_unref(layer->by_tid);
    g_ptr_array_unref(layer->rows);
    g_free(layer->name);
    g_free(layer);
}

static gboolean has_ascend_data(const StrobeConsumerHost *host, StrobeInstance *self)
{
    const char *source = host->metadata_value(self, "source");

    return strstr(source, "\"ascend_") || strstr(source, "\"prof_raw\"") ||
           strstr(host->metadata_value(self, "collectors"), "\"npu_");
}

/* Returns the origin of times. Ascend's tools expect times since the epoch. Other viewers keep
 * times as doubles, in which microseconds since the epoch have a resolution of only 0.25 us, so
 * that spans of the host would overlap. */
static TraceOrigin choose_origin(const StrobeConsumerHost *host, StrobeInstance *self)
{
    const char *origin = host->option_text(self, "origin");
    gboolean is_start =
        !strcmp(origin, "auto") ? !has_ascend_data(host, self) : !strcmp(origin, "start");

    if (!is_start)
        return (TraceOrigin){0, FALSE};
    return (TraceOrigin){MAX(host->metadata(self)->window_begin_ns, 0) / NS_PER_S * NS_PER_S, TRUE};
}

TraceRows *trace_rows_new(const StrobeConsumerHost *host, StrobeInstance *self)
{
    TraceRows *rows = g_new0(TraceRows, 1);

    rows->host = host;
    rows->self = self;
    rows->layers = g_ptr_array_new_with_free_func(free_layer);
    rows->by_key = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    rows->of_track = g_ptr_array_new();
    rows->of_marker = g_ptr_array_new();
    rows->unknown_layers = g_hash_table_new_full(strobe_hash_of_text, g_str_equal, g_free, NULL);
    rows->generation = CLAMP(host->metadata(self)->generation, 1, 3);
    rows->origin = choose_origin(host, self);
    rows->level = host->metadata(self)->level;
    rows->device =
        *host->metadata_value(self, "device") ? atoi(host->metadata_value(self, "device")) : -1;
    rows->next_extra = TRACE_FIRST_EXTRA_TID;
    rows->has_names = *host->metadata_value(self, "source") &&
                      !strstr(host->metadata_value(self, "source"), "\"ascend_");
    return rows;
}

void trace_rows_free(TraceRows *rows)
{
    g_hash_table_unref(rows->by_key);
    g_hash_table_unref(rows->unknown_layers);
    g_ptr_array_unref(rows->of_track);
    g_ptr_array_unref(rows->of_marker);
    g_ptr_array_unref(rows->layers);
    g_free(rows);
}

/* Returns a sort index for a layer that readers do not know. The first four such layers get 2 to 5,
 * which no known layer has. Later layers get these numbers plus 64, 96 ... Such a number has more
 * bits than the pid has for the sort index, but the pid still differs from the pid of every known
 * layer of another process. */
static guint32 unknown_sort_index(TraceRows *rows, const char *name)
{
    gpointer number;

    if (!g_hash_table_lookup_extended(rows->unknown_layers, name, NULL, &number)) {
        guint n = g_hash_table_size(rows->unknown_layers);

        number = GUINT_TO_POINTER(n < 4 ? 2 + n : 32 * (2 + (n - 4) / 4) + 2 + n % 4);
        g_hash_table_insert(rows->unknown_layers, g_strdup(name), number);
    }
    return GPOINTER_TO_UINT(number);
}

static guint32 layer_sort_index(TraceRows *rows, const AscendLayer *known, const char *name)
{
    gint16 index = !known ? -1 : rows->generation < 3 ? known->sort_index_old : known->sort_index;

    return index < 0 ? unknown_sort_index(rows, name) : (guint32)index;
}

/* Returns the low bits of a layer's pid, which contain its device. In older files, layers of the
 * host have the capture's device in these bits. */
static guint32 device_bits(const TraceRows *rows, const TraceLayer *layer)
{
    gint32 device = layer->device;

    if (device < 0 && (rows->generation < 3 || !strcmp(layer->name, GC_LAYER)))
        device = rows->device;
    return device < 0 ? HOST_DEVICE : (guint32)device & HOST_DEVICE;
}

static TraceRow *find_row(TraceRows *rows, TraceLayer *layer, guint64 tid, const char *name);

/* Adds the rows that a layer has even if they have no events. */
static void add_fixed_rows(TraceRows *rows, TraceLayer *layer)
{
    static const char *const names[] = {"Computing", "Communication",
                                        "Communication(Not Overlapped)", "Free"};

    for (guint i = 0; i < G_N_ELEMENTS(names); i++)
        if (layer->known && layer->known->layer == ASCEND_LAYER_OVERLAP)
            find_row(rows, layer, i, names[i]);
}

static TraceLayer *new_layer(TraceRows *rows, guint64 pid, const char *name, guint32 sort_index,
                             gint32 device, const AscendLayer *known)
{
    TraceLayer *layer = g_new0(TraceLayer, 1);

    layer->name = g_strdup(name ? name : "Python");
    layer->known = known;
    layer->number = rows->layers->len;
    layer->is_process = !name;
    layer->device = name && device >= 0 && (!known || known->is_device) ? device : -1;
    if (name)
        layer->sort_index = sort_index ? sort_index : layer_sort_index(rows, known, name);
    layer->is_framework = !name || !strcmp(name, GC_LAYER);
    layer->pid =
        name ? (guint32)((guint32)pid << 10 | layer->sort_index << 5 | device_bits(rows, layer))
             : pid;
    layer->by_tid = g_hash_table_new(strobe_hash_of_number, g_int64_equal);
    layer->extra = g_hash_table_new(strobe_hash_of_text, g_str_equal);
    layer->rows = g_ptr_array_new_with_free_func(free_row);
    return layer;
}

/* Returns a layer of the process `pid`, and adds it if necessary. `name` NULL: the layer of the
 * process itself. `sort_index` 0: the sort index follows from the name. */
static TraceLayer *find_layer(TraceRows *rows, guint64 pid, const char *name, guint32 sort_index,
                              gint32 device)
{
    const AscendLayer *known = name && !sort_index ? ascend_layer_by_name(name) : NULL;
    TraceLayer *layer;

    if (known) {
        known = ascend_layer_in(known, rows->generation);
        name = known->name;
    }
    g_autofree char *key = g_strdup_printf("%" G_GUINT64_FORMAT " %d %u %s", pid,
                                           name ? device : -1, sort_index, name ? name : "");
    layer = g_hash_table_lookup(rows->by_key, key);
    if (layer)
        return layer;
    layer = new_layer(rows, pid, name, sort_index, device, known);
    g_ptr_array_add(rows->layers, layer);
    g_hash_table_insert(rows->by_key, g_steal_pointer(&key), layer);
    add_fixed_rows(rows, layer);
    return layer;
}

/* Returns the row of a layer, and adds it if necessary. Copies `name`. */
static TraceRow *find_row(TraceRows *rows, TraceLayer *layer, guint64 tid, const char *name)
{
    TraceRow *row = g_hash_table_lookup(layer->by_tid, &tid);

    if (row)
        return row;
    row = g_new0(TraceRow, 1);
    row->layer = layer;
    row->origin = &rows->origin;
    row->tid = row->sort_index = tid;
    row->name = g_strdup(name);
    row->order = TRACE_ROW_OTHER;
    row->number = layer->rows->len;
    row->place_length = (guint)g_snprintf(
        row->place, sizeof row->place,
        "\"pid\": %" G_GUINT64_FORMAT ", \"tid\": %" G_GUINT64_FORMAT ", \"ts\": ", layer->pid,
        tid);
    g_ptr_array_add(layer->rows, row);
    g_hash_table_insert(layer->by_tid, &row->tid, row);
    if (tid >= TRACE_FIRST_EXTRA_TID && name && !g_hash_table_contains(layer->extra, name))
        g_hash_table_insert(layer->extra, row->name, row);
    return row;
}

static char *track_name(const TraceRows *rows, const StrobeTrackView *track)
{
    static const char *const words[] = {
        [STROBE_TRACK_THREAD] = "Thread", [STROBE_TRACK_STREAM] = "Stream",
        [STROBE_TRACK_PLANE] = "Plane",   [STROBE_TRACK_COUNTER] = "Counter",
        [STROBE_TRACK_STEPS] = "Steps",   [STROBE_TRACK_PROCESS] = "Process",
    };
    const char *word =
        track->type && track->type < G_N_ELEMENTS(words) ? words[track->type] : "Track";

    if ((track->type != STROBE_TRACK_THREAD || rows->has_names) && track->name && *track->name)
        return g_strdup(track->name);
    if (track->type == STROBE_TRACK_STEPS || track->type == STROBE_TRACK_PROCESS)
        return g_strdup(word);
    return g_strdup_printf("%s %" G_GUINT64_FORMAT, word, track->number);
}

guint64 trace_rows_pid(TraceRows *rows, StrobeTrackId id)
{
    const StrobeTrackView *track = rows->host->track(rows->self, id);

    return track && track->pid ? track->pid : rows->host->metadata(rows->self)->pid;
}

static TraceRow *find_row_of_group(TraceRows *rows, const StrobeTrackView *track, guint64 pid,
                                   const char *name)
{
    TraceLayer *layer = find_layer(rows, pid, track->group, 0, track->device);
    gboolean is_counter = layer->known && layer->known->layer == ASCEND_LAYER_COUNTERS;

    return find_row(rows, layer, track->number, is_counter ? NULL : name);
}

static TraceRow *make_row(TraceRows *rows, StrobeTrackId id)
{
    const StrobeTrackView *track = rows->host->track(rows->self, id);
    guint64 pid = trace_rows_pid(rows, id);
    g_autofree char *name = NULL;

    if (!track)
        return trace_rows_extra(rows, id, "Unknown track");
    name = track_name(rows, track);
    if (track->type == STROBE_TRACK_STEPS)
        return find_row(rows, find_layer(rows, pid, NULL, 0, -1), 0, name);
    if (track->group && *track->group)
        return find_row_of_group(rows, track, pid, name);
    if (track->type == STROBE_TRACK_THREAD)
        return find_row(rows, find_layer(rows, pid, NULL, 0, -1), track->number, name);
    return find_row(rows, find_layer(rows, pid, NULL, 0, -1), rows->next_extra++, name);
}

/* Returns the slot of a track's row. All unknown ids share the slot of the id 0. */
static gpointer *slot_of(TraceRows *rows, GPtrArray *by_track, StrobeTrackId id)
{
    guint32 n = rows->host->track_count(rows->self);

    if (id > n)
        id = 0;
    if (id >= by_track->len)
        g_ptr_array_set_size(by_track, (gint)n + 1);
    return &by_track->pdata[id];
}

TraceRow *trace_rows_of_track(TraceRows *rows, StrobeTrackId id)
{
    gpointer *slot;

    if (G_LIKELY(id < rows->of_track->len && rows->of_track->pdata[id]))
        return rows->of_track->pdata[id];
    slot = slot_of(rows, rows->of_track, id);
    if (!*slot)
        *slot = make_row(rows, id);
    return *slot;
}

/* Returns the name of the layer of marks. As in the Ascend profiler's files, this is the program's
 * name. */
static char *program_name(TraceRows *rows)
{
    const char *command = rows->host->metadata(rows->self)->command;
    g_autofree char *program = NULL;

    if (!command || !*command || *command == ' ')
        return g_strdup("Markers");
    program = g_strndup(command, strcspn(command, " "));
    return g_path_get_basename(program);
}

TraceRow *trace_rows_of_marker(TraceRows *rows, StrobeTrackId id)
{
    gpointer *slot;

    if (G_LIKELY(id < rows->of_marker->len && rows->of_marker->pdata[id]))
        return rows->of_marker->pdata[id];
    slot = slot_of(rows, rows->of_marker, id);
    if (!*slot) {
        const StrobeTrackView *track = rows->host->track(rows->self, id);
        g_autofree char *program = program_name(rows);
        g_autofree char *name = track ? track_name(rows, track) : g_strdup("Unknown track");
        TraceLayer *layer =
            find_layer(rows, trace_rows_pid(rows, id),
                       track && *track->group ? track->group : program, MARKER_SORT_INDEX, -1);

        *slot = find_row(rows, layer, track ? track->number : 0, name);
    }
    return *slot;
}

TraceRow *trace_rows_extra(TraceRows *rows, StrobeTrackId track, const char *name)
{
    TraceLayer *layer = find_layer(rows, trace_rows_pid(rows, track), NULL, 0, -1);
    TraceRow *row = g_hash_table_lookup(layer->extra, name);

    return row ? row : find_row(rows, layer, rows->next_extra++, name);
}

void trace_rows_need_process(TraceRows *rows)
{
    find_layer(rows, trace_rows_pid(rows, 0), NULL, 0, -1);
}

TraceRow *trace_rows_in_layer(TraceRows *rows, StrobeTrackId track, const char *layer, guint64 tid,
                              const char *name)
{
    return trace_rows_of_device(rows, track, layer, -1, tid, name);
}

/* Returns the row from a cache of the last requests if possible, so that the names are not hashed
 * for every event. */
TraceRow *trace_rows_of_device(TraceRows *rows, StrobeTrackId track, const char *layer,
                               gint32 device, guint64 tid, const char *name)
{
    const guint hash = (guint)tid * 31 + track * 7 + (guint)device;
    KnownRow *known = &rows->known[hash % TRACE_KNOWN_ROWS];

    if (known->layer != layer || known->tid != tid || known->track != track ||
        known->device != device)
        *known = (KnownRow){
            layer, tid, track, device,
            find_row(rows, find_layer(rows, trace_rows_pid(rows, track), layer, 0, device), tid,
                     name)};
    return known->row;
}

void trace_rows_of_all(TraceRows *rows)
{
    guint32 n = rows->host->track_count(rows->self);

    for (StrobeTrackId id = 1; id <= n; id++) {
        const StrobeTrackView *track = rows->host->track(rows->self, id);
        const AscendLayer *known =
            track && track->group && *track->group ? ascend_layer_by_name(track->group) : NULL;

        if (known && (known->layer == ASCEND_LAYER_CANN || known->layer == ASCEND_LAYER_HARDWARE ||
                      known->layer == ASCEND_LAYER_COMMUNICATION))
            trace_rows_of_track(rows, id);
    }
}
