/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a trace in the format of PyTorch's profiler, for TensorBoard. */
#include "tensorboard.h"

#include <errno.h>
#include <gzip-file.h>

#define NS_PER_S 1000000000

static void free_board(Board *board)
{
    equal_spans_clear(&board->equal);
    trace_out_clear(&board->main);
    trace_out_clear(&board->file);
    if (board->kinds)
        g_hash_table_unref(board->kinds);
    board_rows_free(board->rows);
    board_flow_events_free(board->flow_events);
    board_head_free(board->head);
    board_step_ranges_free(board->step_ranges);
    if (board->texts)
        text_cache_free(board->texts);
    g_free(board);
}

static StrobeStatus io_error(Board *board, int error)
{
    return board->host->fail(board->self, STROBE_ERROR_IO, __FILE__, __LINE__,
                             "Cannot write the trace for TensorBoard: folder=\"%s\": %s",
                             board->host->metadata(board->self)->directory_path, g_strerror(error));
}

/* Returns the time for the file's name. Several dumps of a flight recorder belong to the same
 * window and are written to the same folder, so each dump uses its own time. */
static gint64 file_time(const Board *board)
{
    const gint64 begin_ns = board->host->metadata(board->self)->window_begin_ns;
    const char *dump = board->host->metadata_value(board->self, "dump_reason");

    if (!*dump)
        return MAX(begin_ns, 0);
    return MAX(
        g_ascii_strtoll(board->host->metadata_value(board->self, "start_realtime_ns"), NULL, 10),
        0);
}

/* Returns the file's name, <worker>.<time>.pt.trace.json. Replaces characters that a file name
 * cannot contain. The reader takes the digits between the dots for the time, so the user must not
 * choose a worker that ends with a dot and digits. */
static char *file_name(const Board *board)
{
    const StrobeMetadata *metadata = board->host->metadata(board->self);
    const char *option = board->host->option_text(board->self, "worker");
    g_autofree char *worker = NULL;

    if (option && *option)
        worker = g_strdup(option);
    else
        worker = g_strdup_printf("%s_%" G_GUINT64_FORMAT,
                                 metadata->host && *metadata->host ? metadata->host : "host",
                                 metadata->pid);
    for (char *at = worker; *at; at++)
        if (*at == '/' || (guchar)*at < 0x20)
            *at = '_';
    if (*worker == '.') /* readers ignore hidden files */
        *worker = '_';
    return g_strdup_printf("%.200s.%" G_GINT64_FORMAT ".pt.trace.json", worker, file_time(board));
}

static const BoardKind *find_kind(Board *board, const StrobeKindView *view)
{
    BoardKind *kind = board->last_kind;

    if (!kind || kind->view != view)
        kind = g_hash_table_lookup(board->kinds, view);
    if (!kind || kind->view_fields != view->fields || kind->view_n_fields != view->n_fields ||
        kind->view_id != view->id) {
        kind = board_kind_new(board, view);
        g_hash_table_replace(board->kinds, (gpointer)view, kind);
    }
    board->last_kind = kind;
    return kind;
}

static void take_record(void *user, const StrobeView *record)
{
    Board *board = user;
    const BoardKind *kind = find_kind(board, record->kind);

    /* metadata records come at the begin of the window, so events with this time wait until the
     * metadata have come */
    if (!board->is_begun && kind->is_event && record->end_ns > board->window_ns)
        board_begin_events(board);
    kind->write(board, kind, record);
}

static StrobeStatus tensorboard_open(const StrobeConsumerHost *host, StrobeInstance *self,
                                     void **state)
{
    Board *board = g_new0(Board, 1);
    g_autofree char *name = NULL;
    StrobeSafeFile *file;
    static const char begin[] = "{\n\"schemaVersion\": 1";

    board->host = host;
    board->self = self;
    name = file_name(board);
    file = gzip_file_create(host->metadata(self)->directory, name, host->option_bool(self, "gzip"));
    if (!file) {
        StrobeStatus status = io_error(board, errno);

        g_free(board);
        return status;
    }
    trace_out_init(&board->file, file);
    trace_out_init(&board->main, NULL);
    board->texts = text_cache_new(host, self);
    board->kinds = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, board_kind_free);
    board->rows = board_rows_new(board);
    board->head = board_head_new(board);
    board->step_ranges = board_step_ranges_new();
    board->is_import = *host->metadata_value(self, "source") != '\0';
    board->has_steps = strstr(host->metadata_value(self, "source"), "\"ascend_") != NULL;
    equal_spans_init(&board->equal, take_record, board, board->has_steps);
    board->window_ns = host->metadata(self)->window_begin_ns;
    /* doubles with times relative to this base have microseconds with three decimals for more than
     * a month */
    board->base_ns = MAX(host->metadata(self)->window_begin_ns, 0) / NS_PER_S * NS_PER_S;
    board->first = G_MAXINT64;
    board->last = G_MININT64;
    trace_out_sink(&board->file, begin, strlen(begin));
    *state = board;
    return STROBE_OK;
}

static StrobeStatus tensorboard_batch(void *state, const StrobeView *records, size_t n)
{
    Board *board = state;
    const gsize left = equal_spans_take(&board->equal, records, n);

    equal_spans_hold(&board->equal, records + n - left, left);
    return board->main.error ? io_error(board, board->main.error) : STROBE_OK;
}

/* Writes the events about the window that PyTorch's profiler writes. Not for an imported trace,
 * which already contains them. */
static void write_window(Board *board)
{
    TraceOut *out = &board->main;
    char *at;

    at = trace_out_event(out);
    PUT_LITERAL(at, "\n{\"ph\": \"X\", \"cat\": \"Trace\", \"name\": \"PyTorch Profiler (0)\", "
                    "\"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\", \"ts\": ");
    at = put_time(board, at, board->first);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_fixed(at, board->last - board->first);
    PUT_LITERAL(at, ", \"args\": {\"Op count\": 0}}");
    trace_out_done(out, at);
    at = trace_out_event(out);
    PUT_LITERAL(at, "\n{\"ph\": \"i\", \"cat\": \"Trace\", \"s\": \"g\", \"name\": "
                    "\"Iteration Start: PyTorch Profiler\", \"pid\": \"Traces\", \"tid\": "
                    "\"Trace PyTorch Profiler\", \"ts\": ");
    at = put_time(board, at, board->first);
    *at++ = '}';
    trace_out_done(out, at);
    at = trace_out_event(out);
    PUT_LITERAL(at, "\n{\"ph\": \"i\", \"cat\": \"Trace\", \"s\": \"g\", \"name\": "
                    "\"Record Window End\", \"pid\": \"\", \"tid\": \"\", \"ts\": ");
    at = put_time(board, at, board->last);
    *at++ = '}';
    trace_out_done(out, at);
}

static void write_end(Board *board)
{
    g_autofree char *name = file_name(board);
    const CachedText *text;

    board_rows_write(board);
    if (!board->is_import)
        write_window(board);
    board_end_events(board);
    text = text_cache_escape(board->texts, name, strlen(name));
    trace_out_sink(&board->main, ",\n\"traceName\": ", strlen(",\n\"traceName\": "));
    trace_out_sink(&board->main, text->bytes, text->length);
    trace_out_sink(&board->main, "\n}\n", 3);
    trace_out_flush(&board->main);
}

static void write_step_ranges(Board *board)
{
    const GArray *held = board_step_ranges_end(board->step_ranges);

    for (guint i = 0; i < held->len; i++)
        take_record(board, &g_array_index(held, StrobeView, i));
}

static StrobeStatus tensorboard_end(void *state)
{
    Board *board = state;
    StrobeSafeFile *file;
    int error;

    equal_spans_flush(&board->equal);
    write_step_ranges(board);
    if (board->last < board->first)
        /* no events: makes no file, because viewers show a trace without events wrongly */
        return STROBE_OK;
    board_begin_events(board);
    write_end(board);
    if (board->main.error)
        return io_error(board, board->main.error);
    file = board->main.file;
    board->main.file = NULL;
    error = strobe_safe_file_finish(file);
    return error ? io_error(board, error) : STROBE_OK;
}

static void tensorboard_close(void *state)
{
    free_board(state);
}

const StrobeConsumerOps tensorboard_ops = {
    .struct_size = sizeof(StrobeConsumerOps),
    .open = tensorboard_open,
    .batch = tensorboard_batch,
    .end = tensorboard_end,
    .close = tensorboard_close,
};
