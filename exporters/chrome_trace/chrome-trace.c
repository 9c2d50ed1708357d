/* SPDX-License-Identifier: Apache-2.0 */
#include "chrome-trace.h"

#include <errno.h>

static void free_trace(ChromeTrace *trace)
{
    trace_out_clear(&trace->main);
    trace_out_clear(&trace->gc);
    trace_out_clear(&trace->tail);
    if (trace->kinds)
        g_hash_table_unref(trace->kinds);
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
                             "Cannot write the trace: file=\"%s\", folder=\"%s\": %s",
                             trace->host->option_text(trace->self, "file"), facts->directory_path,
                             g_strerror(error));
}

static StrobeStatus chrome_trace_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                      void **state)
{
    ChromeTrace *trace = g_new0(ChromeTrace, 1);
    int directory = host->facts(self)->directory;
    StrobeSafeFile *file = strobe_safe_file_create(directory, host->option_text(self, "file"));

    trace->host = host;
    trace->self = self;
    if (!file) {
        StrobeStatus status = io_error(trace, errno);

        free_trace(trace);
        return status;
    }
    trace_out_init(&trace->main, file);
    trace_out_init_held(&trace->gc, directory);
    trace_out_init_held(&trace->tail, directory);
    trace->rows = trace_rows_new(host, self);
    trace->texts = text_cache_new(host, self);
    trace->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, trace_kind_free);
    memcpy(trace->main.bytes, "[", 1);
    trace->main.used = 1;
    *state = trace;
    return STROBE_OK;
}

static TraceKind *find_kind(ChromeTrace *trace, const StrobeKindView *view)
{
    TraceKind *kind = trace->last_kind;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(trace->kinds, view);
    if (!kind || kind->view_fields != view->fields || kind->view_n_fields != view->n_fields ||
        kind->view_id != view->id) {
        kind = trace_kind_new(trace, view);
        g_hash_table_replace(trace->kinds, (gpointer)view, kind);
    }
    trace->last_kind = kind;
    return kind;
}

static StrobeStatus check_parts(ChromeTrace *trace)
{
    int error = trace->main.error ? trace->main.error
                : trace->gc.error ? trace->gc.error
                                  : trace->tail.error;

    return error ? io_error(trace, error) : STROBE_OK;
}

static StrobeStatus chrome_trace_batch(void *state, const StrobeView *records, size_t n)
{
    ChromeTrace *trace = state;

    for (size_t i = 0; i < n; i++) {
        const TraceKind *kind = find_kind(trace, records[i].kind);

        kind->write(trace, kind, &records[i]);
    }
    return check_parts(trace);
}

static StrobeStatus chrome_trace_end(void *state)
{
    ChromeTrace *trace = state;
    StrobeSafeFile *file;
    int error;

    write_incomplete(trace);
    if (!trace->main.has_events && !trace->gc.has_events && !trace->tail.has_events)
        return STROBE_OK; /* nothing to show: no file */
    /* Something must stand before the separator that the other parts begin with. */
    trace_rows_need_process(trace->rows);
    trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, &trace->main);
    trace_rows_write(trace->rows, TRACE_LAYERS_GC, &trace->gc);
    trace_out_append(&trace->main, &trace->gc);
    trace_rows_write(trace->rows, TRACE_LAYERS_OTHER, &trace->tail);
    trace_out_append(&trace->main, &trace->tail);
    trace_out_sink(&trace->main, "]", 1);
    trace_out_flush(&trace->main);
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
