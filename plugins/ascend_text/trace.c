/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <strobe/helpers/json-writer.h>
#include <unistd.h>

#define TRACE_NAME "trace_view.json"
#define ROWS_MAX 100000u

/* A process of the trace: one layer of one device. */
typedef struct Process {
    const AscendLayer *layer; /* NULL: not known */
    char *name;
    gint device; /* -1: the host */
} Process;

/* A thread of it. */
typedef struct Row {
    char *name;
    StrobeTrackId track;
    gint plane; /* of communication: -1 the group itself, else the plane */
} Row;

typedef struct Trace {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    Kernels *kernels;
    TraceKinds kinds;
    TraceFacts *facts;
    GHashTable *processes; /* gint64 pid to Process */
    GHashTable *rows;      /* "pid:tid" to Row */
    guint64 n_events;
    gboolean is_full;
    StrobeJsonWriter json; /* of arguments that are kept as they are */
} Trace;

static void free_process(gpointer data)
{
    Process *process = data;

    g_free(process->name);
    g_free(process);
}

static void free_row(gpointer data)
{
    Row *row = data;

    g_free(row->name);
    g_free(row);
}

static void report(Trace *t, const TraceEvent *event, const char *reason)
{
    g_autofree char *place =
        g_strdup_printf(TRACE_NAME ", before offset %" G_GUINT64_FORMAT, event->offset);

    t->host->damage(t->self, place, reason);
}

/* ---- layers and threads ---- */

static Process *process_of(Trace *t, gint64 pid)
{
    Process *process = g_hash_table_lookup(t->processes, &pid);

    if (!process) {
        process = g_new0(Process, 1);
        process->device = -1;
        g_hash_table_insert(t->processes, g_memdup2(&pid, sizeof pid), process);
    }
    return process;
}

static Row *row_of(Trace *t, gint64 pid, gint64 tid)
{
    g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, pid, tid);
    Row *row = g_hash_table_lookup(t->rows, key);

    if (!row && g_hash_table_size(t->rows) < ROWS_MAX) {
        row = g_new0(Row, 1);
        row->plane = -1;
        g_hash_table_insert(t->rows, g_steal_pointer(&key), row);
    }
    return row;
}

/* Newer traces say the device in the label, older ones in the low bits of the pid. */
static void take_label(Trace *t, Process *process, gint64 pid, const char *label)
{
    if (!g_str_has_prefix(label, "NPU"))
        return;
    if (label[3] == ' ') {
        process->device = atoi(label + 4);
        t->facts->generation = 3;
    } else {
        process->device = (gint)(pid & 31);
        t->facts->generation = MAX(t->facts->generation, 1);
    }
    t->facts->device = process->device;
}

static void take_name(Trace *t, Process *process, gint64 pid, const char *name)
{
    g_free(process->name);
    process->name = g_strdup(name);
    process->layer = ascend_layer_by_name(name);
    if (!process->layer)
        return;
    if (process->layer->layer == ASCEND_LAYER_PYTHON)
        t->facts->pid = pid;
    if (process->layer->layer == ASCEND_LAYER_CANN)
        t->facts->level = MAX(t->facts->level, 1);
}

static void take_metadata(Trace *t, const TraceEvent *event)
{
    const TraceArg *name = trace_event_arg(event, "name");
    const TraceArg *label = trace_event_arg(event, "labels");
    Process *process = process_of(t, event->pid);

    if (name && !strcmp(event->name, "process_name")) {
        take_name(t, process, event->pid, name->text);
    } else if (label && !strcmp(event->name, "process_labels")) {
        take_label(t, process, event->pid, label->text);
    } else if (name && !strcmp(event->name, "thread_name")) {
        Row *row = row_of(t, event->pid, event->tid);

        if (!row)
            return;
        g_free(row->name);
        row->name = g_strdup(name->text);
        if (g_str_has_prefix(name->text, "Plane "))
            row->plane = atoi(name->text + strlen("Plane "));
    }
}

static guint32 track_type(const Process *process, const Row *row)
{
    switch (process->layer ? process->layer->layer : ASCEND_LAYER_PYTHON) {
    case ASCEND_LAYER_HARDWARE:
        return STROBE_TRACK_STREAM;
    case ASCEND_LAYER_COMMUNICATION:
        return row->plane >= 0 ? STROBE_TRACK_PLANE : STROBE_TRACK_STREAM;
    case ASCEND_LAYER_COUNTERS:
    case ASCEND_LAYER_OTHER:
        return STROBE_TRACK_COUNTER;
    default:
        return STROBE_TRACK_THREAD;
    }
}

static StrobeTrackId track_of(Trace *t, const TraceEvent *event, const Process *process, Row *row)
{
    gint64 pid = t->facts->pid ? t->facts->pid : event->pid;

    if (row && row->track)
        return row->track;
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = row ? track_type(process, row) : STROBE_TRACK_THREAD,
                         .device = process->device,
                         .id = (guint64)event->tid,
                         .name = row ? row->name : NULL,
                         .group = process->layer && process->layer->layer == ASCEND_LAYER_PYTHON
                                      ? NULL
                                      : process->name};
    StrobeTrackId id = t->host->track(t->self, &track, (guint64)pid);
    if (row)
        row->track = id;
    return id;
}

/* ---- events ---- */

static int sink(void *user, const char *bytes, size_t length)
{
    g_string_append_len(user, bytes, (gssize)length);
    return 0;
}

static void write_args(Trace *t, const TraceEvent *event, GString *out)
{
    strobe_json_init(&t->json, sink, out, STROBE_JSON_SPACED);
    strobe_json_begin_object(&t->json);
    for (guint i = 0; i < event->n_args; i++) {
        const TraceArg *arg = &event->args[i];

        strobe_json_key(&t->json, arg->key);
        if (arg->token == STROBE_JSON_STRING)
            strobe_json_text(&t->json, arg->text, arg->length);
        else if (arg->token == STROBE_JSON_TRUE || arg->token == STROBE_JSON_FALSE)
            strobe_json_bool(&t->json, arg->token == STROBE_JSON_TRUE);
        else if (arg->token == STROBE_JSON_NULL)
            strobe_json_null(&t->json);
        else /* numbers with their digits, nested values as they are */
            strobe_json_raw(&t->json, arg->text, arg->length);
    }
    strobe_json_end_object(&t->json);
    strobe_json_flush(&t->json);
}

static StrobeStringId intern(Trace *t, const char *text)
{
    return *text ? t->host->intern(t->self, text, strlen(text)) : 0;
}

/* What no row of the tables has a place for is kept as it is, and listed. */
static void take_unknown(Trace *t, const TraceEvent *event, StrobeTrackId track, gint64 begin,
                         gint64 end)
{
    g_autoptr(GString) args = g_string_new(NULL);
    g_autofree char *name =
        g_strdup_printf("%s %s", event->phase, *event->category ? event->category : event->name);
    struct ascend_text_event *fields =
        t->host->emit(t->self, t->kinds.event, track, intern(t, event->name), begin, end);

    t->host->unknown(t->self, TRACE_NAME, name, 1);
    t->is_full = !fields;
    if (!fields)
        return;
    write_args(t, event, args);
    fields->phase = intern(t, event->phase);
    fields->category = intern(t, event->category);
    fields->id = intern(t, event->id);
    fields->arguments = intern(t, args->str);
    if (event->has_dur)
        fields->duration = g_ascii_strtod(event->dur, NULL);
}

static void take_flow(Trace *t, const TraceEvent *event, StrobeTrackId track, gint64 begin)
{
    /* These are drawn by us from the records themselves. */
    static const char *const derived[] = {"async_npu", "async_task_queue", "fwdbwd"};
    struct strobe_flow_point *fields;

    for (guint i = 0; i < G_N_ELEMENTS(derived); i++)
        if (!strcmp(event->category, derived[i]))
            return;
    fields = t->host->emit(t->self, t->kinds.flow, track, intern(t, event->category), begin, begin);
    t->is_full = !fields;
    if (!fields)
        return;
    fields->id = intern(t, event->id);
    fields->is_end = event->phase[0] == 'f';
}

/* "%i" of the pattern is a number, "%n" the rest; -1 for a name of another form. */
static gint64 match_counter(const AscendCounter *counter, const char *name, const char **rest)
{
    const char *pattern = counter->name;
    gint64 index = 0;

    *rest = NULL;
    for (; *pattern; pattern++) {
        if (pattern[0] == '%' && pattern[1] == 'i') {
            char *end;

            if (!g_ascii_isdigit(*name))
                return -1;
            index = g_ascii_strtoll(name, &end, 10);
            name = end;
            pattern++;
        } else if (pattern[0] == '%' && pattern[1] == 'n') {
            *rest = name;
            return index;
        } else if (*name++ != *pattern) {
            return -1;
        }
    }
    return *name ? -1 : index;
}

static void put_number(const StrobeKind *kind, const char *field, void *fields, double value)
{
    const StrobeCellValue cell = {.type = STROBE_CELL_REAL, .real = value};

    for (guint32 i = 0; field && i < kind->n_fields; i++)
        if (!strcmp(kind->fields[i].name, field))
            strobe_cell_store(&cell, kind->fields[i].type,
                              (char *)fields + strobe_kind_offset(kind, i));
}

static double in_field_unit(const AscendCounter *counter, double value)
{
    switch (counter->form) {
    case ASCEND_ARG_KB:
        return value * 1024;
    case ASCEND_ARG_MB:
    case ASCEND_ARG_WHOLE_MB:
        return value * 1048576;
    case ASCEND_ARG_US:
        return value * 1000;
    case ASCEND_ARG_PERCENT:
        return value * 100;
    default:
        return value;
    }
}

/* One record an event: the series of one sample that the trace tells apart stay apart. */
static gboolean take_counter(Trace *t, const TraceEvent *event, const Process *process,
                             StrobeTrackId track, gint64 begin)
{
    for (guint32 i = 0; process->name && i < n_ascend_counters; i++) {
        const AscendCounter *counter = &ascend_counters[i];
        const TraceArg *arg = trace_event_arg(event, counter->key);
        const TraceArg *unit = trace_event_arg(event, "acc_id");
        const char *rest;
        gint64 index = match_counter(counter, event->name, &rest);
        const StrobeKind *kind = NULL;
        void *fields;

        if (index < 0 || !arg || strcmp(counter->layer, process->name))
            continue;
        if (!counter->field)
            return TRUE; /* a sum of others */
        fields = t->host->emit(t->self, t->kinds.counters[i], track,
                               intern(t, rest                 ? rest
                                         : counter->only_name ? counter->only_name
                                                              : ""),
                               begin, begin);
        t->is_full = !fields;
        for (guint k = 0; k < ASCEND_TEXT_KINDS; k++)
            if (!strcmp(ascend_text_kinds[k]->name, counter->kind))
                kind = ascend_text_kinds[k];
        if (!fields || !kind)
            return TRUE;
        put_number(kind, counter->field, fields,
                   in_field_unit(counter, g_ascii_strtod(arg->text, NULL)));
        if (unit)
            index = g_ascii_strtoll(unit->text, NULL, 10);
        put_number(kind, counter->index, fields, (double)index);
        put_number(kind, "device", fields, process->device);
        return TRUE;
    }
    return FALSE;
}

static void add_pmu(Trace *t, StrobeTrackId track, StrobeStringId name, gint64 begin, gint64 end,
                    const struct strobe_device_pmu *pmu)
{
    struct strobe_device_pmu *fields =
        t->host->emit(t->self, t->kinds.pmu, track, name, begin, end);

    t->is_full = !fields;
    if (fields)
        *fields = *pmu;
}

static void finish_task(Trace *t, StrobeTrackId track, StrobeStringId name, gint64 begin,
                        gint64 end, struct strobe_device_task *task)
{
    struct strobe_device_pmu pmu = {.frequency = STROBE_ABSENT_U32};

    for (guint i = 0; i < G_N_ELEMENTS(pmu.value); i++)
        pmu.value[i] = STROBE_ABSENT_F64;
    pmu.task = task->task = t->host->link_ids(t->self, 1);
    if (!t->kernels || !kernels_fill(t->kernels, task->stream, task->task_id, begin, task, &pmu))
        return;
    task->is_kernel = 1;
    if (pmu.metrics)
        add_pmu(t, track, name, begin, end, &pmu);
}

/* The word before the '@' is the level's, which has a field of its own. */
static StrobeStringId name_of(Trace *t, const TraceEvent *event, const TraceKind *kind)
{
    const char *at = kind->events->layer == ASCEND_LAYER_CANN ? strchr(event->name, '@') : NULL;

    return intern(t, at ? at + 1 : event->name);
}

static void take_span(Trace *t, const TraceEvent *event, const TraceKind *kind, const Row *row,
                      StrobeTrackId track, gint64 begin, gint64 end)
{
    StrobeStringId name = name_of(t, event, kind);
    void *fields = t->host->emit(t->self, kind->id, track, name, begin, end);
    double exact = g_ascii_strtod(event->dur, NULL);

    t->is_full = !fields;
    if (!fields)
        return;
    trace_kind_fill(kind, t->host, t->self, event, fields);
    if (kind->exact >= 0 && exact != (double)(end - begin) / 1000.0)
        memcpy((char *)fields + kind->exact, &exact, sizeof exact);
    if (!strcmp(kind->events->kind, "task_queue"))
        ((struct strobe_task_queue *)fields)->is_dequeue =
            g_strcmp0(kind->events->category, "dequeue") == 0;
    else if (!strcmp(kind->events->kind, "comm_task") && row)
        ((struct strobe_comm_task *)fields)->plane = (guint32)row->plane;
    else if (!strcmp(kind->events->kind, "device_task"))
        finish_task(t, track, name, begin, end, fields);
}

static const TraceKind *kind_of(Trace *t, const TraceEvent *event, const Process *process,
                                const Row *row)
{
    const char *category = event->has_category ? event->category : NULL;

    if (!process->layer)
        return NULL;
    if (process->layer->layer == ASCEND_LAYER_COMMUNICATION && row && row->plane >= 0)
        category = "";
    return trace_kind_of(&t->kinds, process->layer->layer, category);
}

/* Durations may have digits below the ns, or noise: rounded, the text's own is kept beside. */
static gboolean read_times(const TraceEvent *event, gint64 *begin, gint64 *end)
{
    gint64 ns = 0;
    double rest = 0;

    if (strobe_read_us(event->ts, strlen(event->ts), begin, NULL))
        return FALSE;
    *end = *begin;
    if (!event->has_dur)
        return TRUE;
    if (strobe_read_us(event->dur, strlen(event->dur), &ns, &rest))
        return FALSE;
    ns += rest >= 0.5;
    return ns >= 0 && !__builtin_add_overflow(*begin, ns, end);
}

static void take_event(Trace *t, const TraceEvent *event)
{
    const Process *process = process_of(t, event->pid);
    Row *row = row_of(t, event->pid, event->tid);
    gint64 begin, end;

    t->n_events++;
    if (event->phase[0] == 'M')
        return;
    if (!event->has_pid || !read_times(event, &begin, &end)) {
        report(t, event, "an event without a pid, or with a time that is none");
        return;
    }
    StrobeTrackId track = track_of(t, event, process, row);
    const TraceKind *kind = event->phase[0] == 'X' ? kind_of(t, event, process, row) : NULL;
    if (event->phase[0] == 's' || event->phase[0] == 'f')
        take_flow(t, event, track, begin);
    else if (kind)
        take_span(t, event, kind, row, track, begin, end);
    else if (process->layer && process->layer->layer == ASCEND_LAYER_OVERLAP)
        return; /* derived */
    else if (event->phase[0] != 'C' || !take_counter(t, event, process, track, begin))
        take_unknown(t, event, track, begin, end);
}

/* ---- the file ---- */

/* Damage is told in the second reading only. */
static void read_through(Trace *t, int descriptor, gboolean is_first)
{
    TraceReader *reader;
    const char *error;
    guint64 total = (guint64)MAX(lseek(descriptor, 0, SEEK_END), 1);
    TraceEvent event;
    int status;

    lseek(descriptor, 0, SEEK_SET);
    reader = trace_reader_new(descriptor);
    while (!t->is_full && (status = trace_reader_next(reader, &event, &error))) {
        if (status < 0 && !is_first) {
            g_autofree char *reason = g_strdup_printf("expected %s", error);

            report(t, &event, reason);
        } else if (status > 0 && is_first) {
            if (event.phase[0] == 'M')
                take_metadata(t, &event);
        } else if (status > 0) {
            take_event(t, &event);
            if (t->n_events % 4096 == 0)
                t->host->progress(t->self, MIN(event.offset, total), total);
        }
    }
    trace_reader_free(reader);
}

StrobeStatus trace_import(const StrobeImporterHost *host, StrobeInstance *self, int descriptor,
                          Kernels *kernels, TraceFacts *facts)
{
    Trace t = {.host = host, .self = self, .kernels = kernels, .facts = facts};
    StrobeStatus status = trace_kinds_init(&t.kinds, host, self);

    t.processes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, free_process);
    t.rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_row);
    facts->device = -1;
    if (!status) {
        read_through(&t, descriptor, TRUE);
        read_through(&t, descriptor, FALSE);
        host->found(self, TRACE_NAME, t.n_events);
    }
    g_hash_table_unref(t.processes);
    g_hash_table_unref(t.rows);
    trace_kinds_clear(&t.kinds);
    if (t.is_full)
        return host->fail(self, STROBE_ERROR_IO, __FILE__, __LINE__, "The capture has no room");
    return status;
}
