/* SPDX-License-Identifier: Apache-2.0 */
#include "trace.h"

#include <string.h>
#include <strobe/helpers/cell-number.h>
#include <unistd.h>

#include "begun-spans.h"
#include "communicators.h"
#include "ascend-text-layers.h"
#include "ascend-text-marks.h"
#include "samples.h"
#include "stored-trace.h"
#include "trace-index-pass.h"

typedef struct Trace {
    Import *import;
    Kernels *kernels;
    Layers layers;
    IndexPass index_pass;
    TraceKinds kinds;
    Samples samples;
    StoredTrace stored;
    BegunSpans *begun;
    guint64 n_events;
} Trace;

/* Emits an event that the tables do not describe as a record of ascend_text.event, and reports
 * it. */
static void take_unknown(Trace *t, const TraceEvent *event, StrobeTrackId track, gint64 begin,
                         gint64 end)
{
    Import *import = t->import;
    g_autofree char *name =
        g_strdup_printf("%s %s", event->phase, *event->category ? event->category : event->name);
    struct ascend_text_event *fields =
        text_import_emit(import, &ascend_text_event_kind, track,
                         text_import_intern(import, event->name), begin, end);

    import->host->unknown(import->self, TRACE_NAME, name, 1);
    if (!fields)
        return;
    fields->phase = text_import_intern(import, event->phase);
    fields->category = text_import_intern(import, event->category);
    fields->id = text_import_intern(import, event->id);
    fields->arguments = trace_kinds_args(&t->kinds, event, NULL);
    if (event->has_dur)
        fields->duration = g_ascii_strtod(event->dur, NULL);
}

/* ---- flow events ---- */

static void take_flow(Trace *t, const TraceEvent *event, StrobeTrackId track, gint64 begin)
{
    Import *import = t->import;
    struct strobe_flow_point *fields;

    if (stored_trace_flow(&t->stored, event, track, begin))
        return; /* not emitted, because exporters make the flow event again from the records */
    fields = text_import_emit(import, &strobe_kind_flow_point, track,
                              text_import_intern(import, event->category), begin, begin);
    if (!fields)
        return;
    fields->id = text_import_intern(import, event->id);
    fields->is_end = event->phase[0] == 'f';
}

/* ---- spans ---- */

static void add_pmu(Trace *t, StrobeTrackId track, StrobeStringId name, gint64 begin, gint64 end,
                    const struct strobe_device_pmu *pmu)
{
    struct strobe_device_pmu *fields =
        text_import_emit(t->import, &strobe_kind_device_pmu, track, name, begin, end);

    if (fields)
        *fields = *pmu;
}

/* Returns whether the name is a task type, for example MEMCPY_ASYNC, and not the name of an
 * operator. */
static gboolean is_sort_of_task(const char *name)
{
    for (; *name; name++)
        if (!g_ascii_isupper(*name) && !g_ascii_isdigit(*name) && *name != '_')
            return FALSE;
    return TRUE;
}

/* Determines from the name whether a task is a kernel, if there is no table of kernels: the
 * profiler names a task by its operator if there is one, otherwise by its type. */
static void find_kernel(const TraceEvent *event, struct strobe_device_task *task)
{
    for (guint i = 0; i < event->n_args; i++)
        if (!strcmp(event->args[i].key, "Task Type"))
            task->is_kernel =
                !is_sort_of_task(event->name) && strcmp(event->args[i].text, event->name) != 0;
}

static void finish_task(Trace *t, const TraceEvent *event, StrobeTrackId track, StrobeStringId name,
                        gint64 begin, gint64 end, struct strobe_device_task *task)
{
    struct strobe_device_pmu pmu;

    task->task = t->import->host->link_ids(t->import->self, 1);
    if (!t->kernels)
        find_kernel(event, task);
    if (!kernels_fill(t->kernels, event->name, begin, task, &pmu))
        return;
    if (pmu.metrics)
        add_pmu(t, track, name, begin, end, &pmu);
}

static void finish_operation(Trace *t, const TraceEvent *event, const Row *row, gint64 begin,
                             struct strobe_comm_op *fields)
{
    t->import->has_comm_ops = TRUE;
    fields->group = row->group;
    kernels_fill_operation(t->kernels, event->name, begin, fields);
}

/* Returns the name without the level before the '@', for which there is a separate field. */
static StrobeStringId name_of(Trace *t, const TraceEvent *event, const TraceKind *kind)
{
    const char *at = kind->events->layer == ASCEND_LAYER_CANN ? strchr(event->name, '@') : NULL;

    return text_import_intern(t->import, at ? at + 1 : event->name);
}

static void take_span(Trace *t, const TraceEvent *event, const TraceKind *kind, const Row *row,
                      StrobeTrackId track, gint64 begin, gint64 end)
{
    StrobeStringId name = name_of(t, event, kind);
    void *fields = text_import_emit(t->import, kind->kind, track, name, begin, end);
    double exact = g_ascii_strtod(event->dur, NULL);

    if (!fields)
        return;
    trace_kind_fill(&t->kinds, kind, event, fields);
    if (kind->exact >= 0 && event->has_dur && exact != (double)(end - begin) / 1000.0)
        memcpy((char *)fields + kind->exact, &exact, sizeof exact);
    if (kind->kind == &strobe_kind_task_queue) {
        ((struct strobe_task_queue *)fields)->is_dequeue = event->category[0] == 'd';
    } else if (kind->kind == &strobe_kind_comm_task) {
        ((struct strobe_comm_task *)fields)->plane = (guint32)row->plane;
        ((struct strobe_comm_task *)fields)->group = row->group;
    } else if (kind->kind == &strobe_kind_comm_op) {
        finish_operation(t, event, row, begin, fields);
    } else if (kind->kind == &strobe_kind_device_task) {
        finish_task(t, event, track, name, begin, end, fields);
    } else if (kind->kind == &strobe_kind_api_call && t->import->level < 2 &&
               g_str_has_prefix(event->name, "Runtime@")) {
        t->import->level = 2;
    }
}

/* ---- events ---- */

/* Reads the times. A duration may have a fraction of ns: rounds the end; take_span stores the exact
 * duration. */
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

static gboolean is_task(const TraceEvent *event)
{
    for (guint i = 0; i < event->n_args; i++)
        if (index_pass_is_task(event->args[i].key))
            return TRUE;
    return FALSE;
}

static void take_by_phase(Trace *t, const TraceEvent *event, Row *row, gint64 begin, gint64 end)
{
    StrobeTrackId track = layers_track(&t->layers, row);
    const TraceKind *kind =
        event->phase[0] == 'X'
            ? index_pass_kind_of(&t->kinds, row, event->has_category ? event->category : NULL,
                                 is_task(event))
            : NULL;

    if (event->phase[0] == 's' || event->phase[0] == 'f')
        take_flow(t, event, track, begin);
    else if (kind)
        take_span(t, event, kind, row, track, begin, end);
    else if (event->phase[0] == 'X' && row->layer->what == ASCEND_LAYER_MSTX)
        marks_take(&t->kinds, event, track, begin, end);
    else if (event->phase[0] == 'X' && row->layer->what == ASCEND_LAYER_OVERLAP)
        stored_trace_overlap(&t->stored, event, row, begin, end);
    else if (event->phase[0] != 'C' || !samples_take(&t->samples, event, row->layer, track, begin))
        take_unknown(t, event, track, begin, end);
}

static gboolean is_phase(const TraceEvent *event, char phase)
{
    return event->phase[0] == phase && event->phase[1] == '\0';
}

static void take_event(Trace *t, const TraceEvent *event)
{
    const TraceEvent *whole;
    gint64 begin, end, begun;
    Row *row;

    t->n_events++;
    if (event->phase[0] == 'M')
        return;
    if (!event->has_pid || !read_times(event, &begin, &end)) {
        import_damage(t->import, TRACE_NAME, "before offset", event->offset,
                      "an event without a pid or a valid time");
        return;
    }
    row = layers_row(&t->layers, event->pid, event->tid);
    if (is_phase(event, 'B') && begun_spans_begin(t->begun, row, event, begin))
        return;
    whole = is_phase(event, 'E') ? begun_spans_end(t->begun, row, event, begin, &begun) : NULL;
    if (whole && begin < begun)
        import_damage(t->import, TRACE_NAME, "before offset", event->offset,
                      "a span ends before it begins");
    if (whole)
        take_by_phase(t, whole, row, begun, MAX(begun, begin));
    else
        take_by_phase(t, event, row, begin, end);
}

/* Processes the spans that have no end event; their end is their begin. */
static void take_rest(Trace *t)
{
    const TraceEvent *event;
    gint64 begin;
    Row *row;

    while ((event = begun_spans_rest(t->begun, &row, &begin)))
        take_by_phase(t, event, row, begin, begin);
}

/* Sets the communicator of an operation's row, if communication.json contains it. */
static void take_communicator(Trace *t, const TraceEvent *event)
{
    StrobeStringId communicator = communicators_find(t->import, event->name);
    Row *row = communicator ? layers_row(&t->layers, event->pid, event->tid) : NULL;

    if (row && !row->group)
        row->group = communicator;
}

/* Processes an event in the first pass: names of layers, and arguments of events. */
static void index_pass_event(Trace *t, const TraceEvent *event)
{
    if (event->phase[0] == 'M') {
        layers_take(&t->layers, event);
    } else if (event->phase[0] == 'X' || is_phase(event, 'B')) {
        index_pass_take(&t->index_pass, event);
        take_communicator(t, event);
    }
}

/* ---- the file ---- */

/* Reads the whole file. Damage is reported only in the second pass. */
static void read_through(Trace *t, int descriptor, gboolean is_first)
{
    const StrobeImporterHost *host = t->import->host;
    guint64 total = (guint64)MAX(lseek(descriptor, 0, SEEK_END), 1);
    TraceReader *reader;
    const char *error;
    TraceEvent event;
    int status;

    lseek(descriptor, 0, SEEK_SET);
    reader = trace_reader_new(descriptor);
    while (!t->import->is_full && (status = trace_reader_next(reader, &event, &error))) {
        if (status < 0 && !is_first) {
            g_autofree char *reason = g_strdup_printf("expected %s", error);

            import_damage(t->import, TRACE_NAME, "before offset", event.offset, reason);
        } else if (status > 0 && is_first) {
            index_pass_event(t, &event);
        } else if (status > 0) {
            take_event(t, &event);
            if (t->n_events % 4096 == 0)
                host->progress(t->import->self, MIN(event.offset, total), total);
        }
    }
    trace_reader_free(reader);
}

void trace_import(Import *import, int descriptor, Kernels *kernels)
{
    Trace t = {.import = import, .kernels = kernels};

    layers_init(&t.layers, import);
    index_pass_init(&t.index_pass);
    trace_kinds_init(&t.kinds, import);
    samples_init(&t.samples, import);
    stored_trace_init(&t.stored, import, &t.layers);
    t.begun = begun_spans_new();
    read_through(&t, descriptor, TRUE);
    layers_finish(&t.layers);
    index_pass_finish(&t.index_pass, &t.layers, &t.kinds);
    index_pass_clear(&t.index_pass);
    read_through(&t, descriptor, FALSE);
    take_rest(&t);
    begun_spans_free(t.begun);
    samples_finish(&t.samples);
    layers_track_all(&t.layers);
    import->host->found(import->self, TRACE_NAME, t.n_events);
    stored_trace_clear(&t.stored);
    samples_clear(&t.samples);
    trace_kinds_clear(&t.kinds);
    layers_clear(&t.layers);
}
