/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome-trace.h"

#include <errno.h>
#include <gzip-file.h>

#include "launch-flows.h"
#include "queue.h"

static void clear_parts(ChromeTrace *trace)
{
    trace_out_clear(&trace->main);
    trace_out_clear(&trace->event);
    trace_part_clear(&trace->backward);
    trace_part_clear(&trace->python);
    trace_part_clear(&trace->gc);
    trace_part_clear(&trace->devices);
    trace_part_clear(&trace->flows);
    trace_part_clear(&trace->links);
    trace_part_clear(&trace->tail);
}

static void free_trace(ChromeTrace *trace)
{
    clear_parts(trace);
    equal_spans_clear(&trace->equal);
    if (trace->queue)
        trace_queue_free(trace->queue);
    launches_free(trace->launches);
    flow_matcher_free(trace->matcher);
    if (trace->kinds)
        g_hash_table_unref(trace->kinds);
    if (trace->all_kinds)
        g_ptr_array_unref(trace->all_kinds);
    if (trace->texts)
        text_cache_free(trace->texts);
    if (trace->rows)
        trace_rows_free(trace->rows);
    g_free(trace);
}

static StrobeStatus io_error(ChromeTrace *trace, int error)
{
    const StrobeMetadata *metadata = trace->host->metadata(trace->self);

    return trace->host->fail(trace->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                             "Cannot write the trace: file=\"%s\", folder=\"%s\", or its data "
                             "in the folder for temporary files: %s: %s",
                             trace->host->option_text(trace->self, "file"),
                             metadata->directory_path, trace->host->storage(trace->self)->place,
                             g_strerror(error));
}

static void init_parts(ChromeTrace *trace, StrobeSafeFile *file)
{
    StrobeStorage *storage = trace->host->storage(trace->self);

    trace_out_init(&trace->main, file);
    trace_out_init(&trace->event, NULL);
    trace_part_init(&trace->backward, storage, FALSE);
    trace_part_init(&trace->python, storage, TRUE);
    trace_part_init(&trace->gc, storage, FALSE);
    trace_part_init(&trace->devices, storage, TRUE);
    trace_part_init(&trace->flows, storage, FALSE);
    trace_part_init(&trace->links, storage, FALSE);
    trace_part_init(&trace->tail, storage, FALSE);
}

static StrobeStatus check_parts(ChromeTrace *trace)
{
    const int errors[] = {trace->main.error,
                          trace_part_error(&trace->backward),
                          trace_part_error(&trace->python),
                          trace_part_error(&trace->gc),
                          trace_part_error(&trace->devices),
                          trace_part_error(&trace->flows),
                          trace_part_error(&trace->links),
                          trace_part_error(&trace->tail),
                          trace_queue_error(trace->queue)};

    for (guint i = 0; i < G_N_ELEMENTS(errors); i++)
        if (errors[i])
            return io_error(trace, errors[i]);
    return STROBE_OK;
}

static void take_record(void *user, const StrobeView *record)
{
    ChromeTrace *trace = user;
    const TraceKind *kind = trace_find_kind(trace, record->kind);
    const TraceRow *row;

    if (kind->write) {
        kind->write(trace, kind, record);
        return;
    }
    row = kind->prepare(trace, kind, record);
    if (!row)
        return;
    if (kind->part != TRACE_PART_MAIN)
        trace_hold_record(trace, kind, record, row);
    else
        kind->compose(trace, kind, record, row);
}

/* Begins the array of events. If times count from an origin, the array is in an object that also
 * contains this origin. */
static void write_head(ChromeTrace *trace)
{
    const TraceOrigin *origin = &trace->rows->origin;
    g_autofree char *head =
        g_strdup_printf("{\"displayTimeUnit\": \"ms\", \"baseTimeNanoseconds\": "
                        "%" G_GINT64_FORMAT ", \"traceEvents\": [",
                        origin->base_ns);

    if (origin->is_start)
        trace_out_sink(&trace->main, head, strlen(head));
    else
        trace_out_sink(&trace->main, "[", 1);
}

static StrobeStatus chrome_trace_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    ChromeTrace *trace = g_new0(ChromeTrace, 1);
    const StrobeMetadata *metadata = host->metadata(self);
    StrobeSafeFile *file = gzip_file_create(metadata->directory, host->option_text(self, "file"),
                                            host->option_bool(self, "gzip"));

    trace->host = host;
    trace->self = self;
    if (!file) {
        StrobeStatus status = io_error(trace, errno);

        free_trace(trace);
        return status;
    }
    init_parts(trace, file);
    trace->matcher = *host->metadata_value(self, "cut") ? flow_matcher_new() : NULL;
    trace->rows = trace_rows_new(host, self);
    write_head(trace);
    trace->is_old = trace->rows->generation < 3;
    trace->is_import = *host->metadata_value(self, "source") != '\0';
    trace->has_steps = strstr(host->metadata_value(self, "source"), "\"ascend_") != NULL;
    equal_spans_init(&trace->equal, take_record, trace, trace->has_steps);
    trace->texts = text_cache_new(host, self);
    trace->kinds = g_hash_table_new(g_direct_hash, g_direct_equal);
    trace->all_kinds = g_ptr_array_new_with_free_func(trace_kind_free);
    trace->queue = trace_queue_new(trace);
    trace->launch_kind = launches_kind(trace);
    *state = trace;
    return STROBE_OK;
}

static StrobeStatus chrome_trace_batch(void *state, const StrobeView *records, size_t n)
{
    ChromeTrace *trace = state;
    const gsize left = equal_spans_take(&trace->equal, records, n);

    equal_spans_hold(&trace->equal, records + n - left, left);
    return check_parts(trace);
}

static void compose_waiting(void *user, const TraceKind *kind, StrobeView *record,
                            const TraceRow *row)
{
    record->kind = kind->view;
    kind->compose(user, kind, record, row);
}

static void write_part(ChromeTrace *trace, TracePart *part)
{
    trace_part_write(part, &trace->main, compose_waiting, trace);
}

static void write_queue(ChromeTrace *trace)
{
    if (!trace->main.has_events) /* the first event of the queue begins with a separator */
        trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, &trace->main);
    write_part(trace, trace_queue_side(trace, FALSE));
    write_part(trace, trace_queue_side(trace, TRUE));
}

static void write_calls(ChromeTrace *trace)
{
    TraceOut *out = &trace->main;

    trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, out);
    if (!out->has_events) /* true if there are only records of devices */
        trace_rows_write(trace->rows, TRACE_LAYERS_OTHER, out);
    write_part(trace, &trace->backward);
    write_part(trace, &trace->python);
    trace_rows_write(trace->rows, TRACE_LAYERS_GC, trace_part_text(&trace->gc));
    write_part(trace, &trace->gc);
}

static void write_devices(ChromeTrace *trace)
{
    TraceOut *out = &trace->main;

    trace_rows_write(trace->rows, TRACE_LAYERS_OTHER, out);
    write_part(trace, &trace->devices);
    if (!trace->has_flow_points)
        write_part(trace, &trace->flows);
    write_part(trace, &trace->links);
    write_part(trace, &trace->tail);
    trace_out_sink(out, "]}", trace->rows->origin.is_start ? 2 : 1);
    trace_out_flush(out);
}

static gboolean has_events(const ChromeTrace *trace)
{
    return trace->main.has_events || trace_queue_has_events(trace->queue) ||
           trace_part_has_events(&trace->python) || trace_part_has_events(&trace->gc) ||
           trace_part_has_events(&trace->devices) || trace_part_has_events(&trace->backward) ||
           trace_part_has_events(&trace->links) || trace_part_has_events(&trace->tail);
}

/* Returns whether the layer of the process is written even if it has no events. Every event of the
 * later parts begins with a separator, so the first part must not be empty. */
static gboolean needs_process(const ChromeTrace *trace)
{
    return !trace->is_import || !trace_part_has_events(&trace->devices);
}

static StrobeStatus chrome_trace_end(void *state)
{
    ChromeTrace *trace = state;
    StrobeSafeFile *file;
    int error;

    equal_spans_flush(&trace->equal);
    launches_finish(trace);
    write_incomplete(trace);
    trace_counters_finish(trace);
    if (!has_events(trace))
        return STROBE_OK; /* no events: writes no file */
    if (trace->is_import)
        trace_rows_of_all(trace->rows);
    if (needs_process(trace))
        trace_rows_need_process(trace->rows);
    write_queue(trace);
    write_calls(trace);
    write_devices(trace);
    if (check_parts(trace))
        return STROBE_ERROR_IO;
    file = trace->main.file;
    trace->main.file = NULL;
    error = strobe_safe_file_finish(file);
    return error ? io_error(trace, error) : STROBE_OK;
}

static void chrome_trace_close(void *state)
{
    free_trace(state);
}

const StrobeConsumerOps chrome_trace_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = chrome_trace_open,
    .batch = chrome_trace_batch,
    .end = chrome_trace_end,
    .close = chrome_trace_close,
};
