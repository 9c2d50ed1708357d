/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome-trace.h"

#include <errno.h>
#include <gzip-file.h>

#include "held-events.h"
#include "launches.h"
#include "queue.h"

static void free_trace(ChromeTrace *trace)
{
    TraceOut *parts[] = {&trace->main, &trace->gc, &trace->tail, &trace->event};

    for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
        trace_out_clear(parts[i]);
    equal_spans_clear(&trace->equal);
    trace_held_clear(&trace->backward);
    trace_held_clear(&trace->flows);
    trace_held_clear(&trace->links);
    trace_groups_clear(&trace->python);
    trace_groups_clear(&trace->devices);
    if (trace->queue)
        trace_queue_free(trace->queue);
    launches_free(trace->launches);
    flow_gate_free(trace->gate);
    held_store_clear(&trace->store);
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
    const StrobeFacts *facts = trace->host->facts(trace->self);

    return trace->host->fail(trace->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                             "Cannot write the trace: file=\"%s\", folder=\"%s\", or what is kept "
                             "of it in the folder for temporary files: %s: %s",
                             trace->host->option_text(trace->self, "file"), facts->directory_path,
                             facts->scratch_path, g_strerror(error));
}

static void init_parts(ChromeTrace *trace, const StrobeFacts *facts, StrobeSafeFile *file)
{
    const int scratch = facts->scratch;

    trace_out_init(&trace->main, file);
    memcpy(trace->main.bytes, "[", 1);
    trace->main.used = 1;
    held_store_init(&trace->store, scratch, facts->memory_bytes);
    trace_held_init(&trace->backward, &trace->store, scratch, TRACE_OUT_HELD_BYTES);
    trace_groups_init(&trace->python, facts, &trace->store);
    trace_out_init_held(&trace->gc, scratch, TRACE_OUT_HELD_BYTES);
    trace_groups_init(&trace->devices, facts, &trace->store);
    trace_held_init(&trace->flows, &trace->store, scratch, TRACE_OUT_HELD_BYTES);
    trace_held_init(&trace->links, &trace->store, scratch, TRACE_OUT_HELD_BYTES);
    trace_out_init_held(&trace->tail, scratch, TRACE_OUT_HELD_BYTES);
    trace_out_init_event(&trace->event);
}

static StrobeStatus check_parts(ChromeTrace *trace)
{
    const int errors[] = {trace->main.error,
                          trace->gc.error,
                          trace_held_error(&trace->flows),
                          trace_held_error(&trace->links),
                          trace->tail.error,
                          trace->event.error,
                          trace_groups_error(&trace->python),
                          trace_groups_error(&trace->devices),
                          trace_held_error(&trace->backward),
                          trace->store.error,
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

static StrobeStatus chrome_trace_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    ChromeTrace *trace = g_new0(ChromeTrace, 1);
    const StrobeFacts *facts = host->facts(self);
    StrobeSafeFile *file = gzip_file_create(facts->directory, host->option_text(self, "file"),
                                            host->option_bool(self, "gzip"));

    trace->host = host;
    trace->self = self;
    if (!file) {
        StrobeStatus status = io_error(trace, errno);

        free_trace(trace);
        return status;
    }
    init_parts(trace, facts, file);
    trace->gate = *host->fact(self, "cut") ? flow_gate_new() : NULL;
    trace->rows = trace_rows_new(host, self);
    trace->is_old = trace->rows->generation < 3;
    trace->is_import = *host->fact(self, "source") != '\0';
    trace->has_steps = strstr(host->fact(self, "source"), "\"ascend_") != NULL;
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

static void write_groups(ChromeTrace *trace, TraceGroups *groups)
{
    for (guint i = 0; i < TRACE_GROUPS_MAX; i++)
        held_events_write(trace, &groups->all[i]);
    held_events_write_sorted(trace, &groups->others);
}

static void write_queue(ChromeTrace *trace)
{
    if (!trace->main.has_events) /* the queue begins with the separator */
        trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, &trace->main);
    held_events_write(trace, trace_queue_side(trace, FALSE));
    held_events_write(trace, trace_queue_side(trace, TRUE));
}

static void write_calls(ChromeTrace *trace)
{
    TraceOut *out = &trace->main;

    trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, out);
    if (!out->has_events) /* what a device alone recorded */
        trace_rows_write(trace->rows, TRACE_LAYERS_OTHER, out);
    held_events_write(trace, &trace->backward);
    write_groups(trace, &trace->python);
    trace_rows_write(trace->rows, TRACE_LAYERS_GC, &trace->gc);
    trace_out_append(out, &trace->gc);
}

static void write_devices(ChromeTrace *trace)
{
    TraceOut *out = &trace->main;

    trace_rows_write(trace->rows, TRACE_LAYERS_OTHER, out);
    write_groups(trace, &trace->devices);
    if (!trace->has_flow_points)
        held_events_write(trace, &trace->flows);
    held_events_write(trace, &trace->links);
    trace_out_append(out, &trace->tail);
    trace_out_sink(out, "]", 1);
    trace_out_flush(out);
}

static gboolean has_events(const ChromeTrace *trace)
{
    return trace->main.has_events || trace_queue_has_events(trace->queue) ||
           trace_groups_has_events(&trace->python) || trace->gc.has_events ||
           trace_groups_has_events(&trace->devices) || trace_held_has_events(&trace->backward) ||
           trace_held_has_events(&trace->links) || trace->tail.has_events;
}

/* Something must stand before the separator that the other parts begin with. */
static gboolean needs_process(const ChromeTrace *trace)
{
    return !trace->is_import || !trace_groups_has_events(&trace->devices);
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
        return STROBE_OK; /* nothing to show: no file */
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
