/* SPDX-License-Identifier: Apache-2.0 */
/* Writes records as Kineto's events. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "tensorboard.h"

#define USER_RANGE 7 /* at::RecordScope::USER_SCOPE */

enum { OPERATOR_ASYNC, OPERATOR_SCOPE };
enum { STEP_THREAD, STEP_NUMBER };
enum { CALL_LEVEL, CALL_CONNECTION, CALL_EXACT };
enum { TASK_TYPE, TASK_CONNECTION, TASK_IS_KERNEL, TASK_BYTES, TASK_EXACT };
enum {
    COLLECTIVE_CONNECTION,
    COLLECTIVE_EXACT,
    COLLECTIVE_TYPE,
    COLLECTIVE_COUNT,
    COLLECTIVE_SIZE,
    COLLECTIVE_DATA,
    COLLECTIVE_GROUP
};
enum { MEMORY_DEVICE, MEMORY_TYPE, MEMORY_SIZE, MEMORY_ADDRESS, MEMORY_RESERVED };
enum { COUNTER_VALUE, COUNTER_SERIES, COUNTER_CATEGORY, COUNTER_ID };
enum { LINK_TO_BEGIN, LINK_TO_TRACK };

/* ---- parts ---- */

static char *put_name(Board *board, char *at, const BoardKind *kind, const StrobeView *record)
{
    if (record->name)
        return put_string_id(board, at, record->name);
    return trace_out_text(&board->main, at, kind->name_text, kind->name_length);
}

/* Begins an event: {"ph": "X", "cat": ..., "name": ..., "pid": ..., "tid": ..., "ts": ... */
static char *begin_event(Board *board, const char *begin, gsize length)
{
    return trace_out_text(&board->main, trace_out_event(&board->main), begin, length);
}

#define BEGIN(board_, phase_, category_)                                                           \
    begin_event(board_, "\n{\"ph\": \"" phase_ "\", \"cat\": \"" category_ "\", \"name\": ",       \
                sizeof("\n{\"ph\": \"" phase_ "\", \"cat\": \"" category_ "\", \"name\": ") - 1)

static char *put_place(Board *board, char *at, const BoardRow *row, gint64 time_ns)
{
    PUT_LITERAL(at, ", ");
    at = trace_out_text(&board->main, at, row->place, row->place_length);
    return put_time(board, at, time_ns);
}

static void note_times(Board *board, const StrobeView *record)
{
    board->first = MIN(board->first, record->begin_ns);
    board->last = MAX(board->last, record->end_ns);
}

/* Writes the part of a span that follows its name, to the end of its arguments. `exact_us`: the
 * duration in the source, which may have digits below 1 ns; NAN: the source has none. */
static char *put_span(Board *board, char *at, const BoardKind *kind, const StrobeView *record,
                      const BoardRow *row, double exact_us)
{
    at = put_place(board, at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    if (isfinite(exact_us))
        at += strobe_format_double(at, exact_us);
    else
        at += strobe_format_us_fixed(at, MAX(record->end_ns - record->begin_ns, 0));
    PUT_LITERAL(at, ", \"args\": ");
    return put_arguments(board, at, kind, record);
}

static void end_event(Board *board, char *at, const StrobeView *record)
{
    *at++ = '}';
    trace_out_done(&board->main, at);
    note_times(board, record);
}

static void finish_span(Board *board, char *at, const BoardKind *kind, const StrobeView *record,
                        const BoardRow *row, double exact_us)
{
    end_event(board, put_span(board, at, kind, record, row, exact_us), record);
}

static double known_double(const BoardKind *kind, guint index, const StrobeView *record)
{
    return kind->known[index] == STROBE_FIELD_MISSING ? NAN
                                                      : strobe_view_f64(record, kind->known[index]);
}

/* ---- spans ---- */

/* Returns whether the operator is a collective of gloo or nccl, PyTorch's own backends, which the
 * reader knows. */
static gboolean is_collective(Board *board, const StrobeView *record)
{
    const char *name = board->host->string(board->self, record->name).bytes;

    return g_str_has_prefix(name, "gloo:") || g_str_has_prefix(name, "nccl:");
}

/* Writes a collective that ends on another thread as an annotation, like Kineto. The reader counts
 * collectives by their External id. */
static void write_async_collective(Board *board, const BoardKind *kind, const StrobeView *record)
{
    char *at = BEGIN(board, "X", "user_annotation");

    at = put_name(board, at, kind, record);
    at = put_span(board, at, kind, record, board_row(board, record->track), NAN) - 1;
    if (at[-1] != '{')
        PUT_LITERAL(at, ", ");
    PUT_LITERAL(at, "\"External id\": ");
    at = put_uint(at, ++board->n_collectives);
    *at++ = '}';
    end_event(board, at, record);
}

/* Processes an operator that may be the range which PyTorch's own profiler puts around a step.
 * Returns TRUE if the range is kept or dropped; the caller must not write it now. */
static gboolean take_step_range(Board *board, const BoardKind *kind, const StrobeView *record)
{
    if (board->has_steps) { /* the source contains the steps, which are written as operators */
        if (board_is_step_name(board, record->name))
            board_step_ranges_drop(board->step_ranges);
        return FALSE;
    }
    return strobe_field_u8(record, kind->known[OPERATOR_SCOPE], 0) == USER_RANGE &&
           board_is_step_name(board, record->name) &&
           board_step_ranges_hold(board->step_ranges, record);
}

void write_operator(Board *board, const BoardKind *kind, const StrobeView *record)
{
    gboolean is_async = strobe_field_u8(record, kind->known[OPERATOR_ASYNC], 0) != 0;
    char *at;

    if (take_step_range(board, kind, record))
        return;
    if (is_async && is_collective(board, record)) {
        write_async_collective(board, kind, record);
        return;
    }
    /* Operators that end on another thread do not nest, and the reader would drop the operators
     * that they cross. */
    if (is_async)
        at = BEGIN(board, "X", "cpu_op_async");
    else
        at = BEGIN(board, "X", "cpu_op");
    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, board_row(board, record->track), NAN);
}

/* Writes a step. The reader recognises it only by a name that consists of "ProfilerStep#" and a
 * number. */
void write_step(Board *board, const BoardKind *kind, const StrobeView *record)
{
    guint64 thread = strobe_field_u64(record, kind->known[STEP_THREAD], 0);
    gint64 number = strobe_field_i64(record, kind->known[STEP_NUMBER], -1);
    char *at;

    if (board->has_steps)
        return;
    board_step_ranges_drop(board->step_ranges);
    at = BEGIN(board, "X", "user_annotation");

    PUT_LITERAL(at, "\"ProfilerStep#");
    at = put_int(at, MAX(number, 0));
    *at++ = '"';
    finish_span(board, at, kind, record,
                thread && thread != STROBE_ABSENT_U64
                    ? board_row_of_thread(board, record->track, thread)
                    : board_row(board, record->track),
                NAN);
}

void write_marker(Board *board, const BoardKind *kind, const StrobeView *record)
{
    const BoardRow *row = board_row(board, record->track);
    char *at;

    if (row->device < 0 && board_is_step_name(board, record->name) &&
        board_step_ranges_hold(board->step_ranges, record))
        return;
    if (row->device >= 0)
        at = BEGIN(board, "X", "gpu_user_annotation");
    else
        at = BEGIN(board, "X", "user_annotation");
    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, row, NAN);
}

void write_python_call(Board *board, const BoardKind *kind, const StrobeView *record)
{
    char *at = BEGIN(board, "X", "python_function");

    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, board_row(board, record->track), NAN);
}

/* Begins a span whose category is the text with the id `id`. Returns NULL if Kineto does not use
 * this text as a category of the kind. */
static char *put_category(Board *board, const BoardKind *kind, guint32 id)
{
    StrobeText text = board->host->string(board->self, id);
    const char *known = text.length ? kineto_kind_of(text.bytes, text.length) : NULL;
    char *at;

    if (!known || strcmp(known, kind->view->name))
        return NULL;
    at = begin_event(board, "\n{\"ph\": \"X\", \"cat\": ", strlen("\n{\"ph\": \"X\", \"cat\": "));
    at = put_string_id(board, at, id);
    PUT_LITERAL(at, ", \"name\": ");
    return at;
}

void write_call(Board *board, const BoardKind *kind, const StrobeView *record)
{
    const BoardRow *row = board_row(board, record->track);
    char *at = put_category(board, kind, strobe_field_u32(record, kind->known[CALL_LEVEL], 0));

    if (!at)
        at = BEGIN(board, "X", "privateuse1_runtime");
    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, row, known_double(kind, CALL_EXACT, record));
    board_flow_event_begin(
        board, strobe_field_u64(record, kind->known[CALL_CONNECTION], STROBE_ABSENT_U64), row,
        record->begin_ns);
}

void write_task(Board *board, const BoardKind *kind, const StrobeView *record)
{
    const BoardRow *row = board_row(board, record->track);
    guint64 bytes = strobe_field_u64(record, kind->known[TASK_BYTES], STROBE_ABSENT_U64);
    char *at = put_category(board, kind, strobe_field_u32(record, kind->known[TASK_TYPE], 0));

    if (at)
        ;
    else if (strobe_field_u8(record, kind->known[TASK_IS_KERNEL], 0))
        at = BEGIN(board, "X", "kernel");
    else if (bytes != STROBE_ABSENT_U64)
        at = BEGIN(board, "X", "gpu_memcpy");
    else
        at = BEGIN(board, "X", "device_task");
    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, row, known_double(kind, TASK_EXACT, record));
    board_flow_event_end(board,
                         strobe_field_u64(record, kind->known[TASK_CONNECTION], STROBE_ABSENT_U64),
                         row, record->begin_ns);
}

/* Returns PyTorch's word for a word of the vendor. Returns an unknown word unchanged. */
static const char *translate_word(const char *const words[][2], guint n, const char *word)
{
    for (guint i = 0; i < n; i++)
        if (!strcmp(words[i][0], word))
            return words[i][1];
    return word;
}

static const char *collective_name(const char *type)
{
    static const char *const words[][2] = {
        {"hcom_allReduce_", "allreduce"},
        {"hcom_broadcast_", "broadcast"},
        {"hcom_reduce_", "reduce"},
        {"hcom_allGather_", "all_gather"},
        {"hcom_reduceScatter_", "reduce_scatter"},
        {"hcom_scatter_", "scatter"},
        {"hcom_gather_", "gather"},
        {"hcom_alltoall_", "all_to_all"},
        {"hcom_alltoallv_", "all_to_allv"},
        {"hcom_send_", "send"},
        {"hcom_receive_", "recv"},
        {"hcom_barrier_", "barrier"},
    };

    return translate_word(words, G_N_ELEMENTS(words), type);
}

static const char *type_name(const char *type)
{
    static const char *const words[][2] = {
        {"FP64", "Double"},    {"FP32", "Float"}, {"FP16", "Half"},
        {"BFP16", "BFloat16"}, {"INT64", "Long"}, {"INT32", "Int"},
        {"INT16", "Short"},    {"INT8", "Char"},  {"UINT8", "Byte"},
    };

    return translate_word(words, G_N_ELEMENTS(words), type);
}

static const char *collective_text(Board *board, const BoardKind *kind, guint index,
                                   const StrobeView *record)
{
    return board->host->string(board->self, strobe_field_u32(record, kind->known[index], 0)).bytes;
}

static char *put_escaped(Board *board, char *at, const char *text)
{
    const CachedText *escaped = text_cache_escape(board->texts, text, strlen(text));

    return trace_out_text(&board->main, at, escaped->bytes, escaped->length);
}

/* Writes an operation of a process group on the host like PyTorch writes collectives of its device
 * backends: as an operator with the parameters of a collective. This operator is written as
 * asynchronous, because otherwise the reader would count its time as an operator's time. The
 * operation itself is the operator `gloo:...`, as in Kineto's traces. */
static void write_group_operation(Board *board, const BoardKind *kind, const StrobeView *record,
                                  const BoardRow *row)
{
    const char *type = type_name(collective_text(board, kind, COLLECTIVE_DATA, record));
    char *at = BEGIN(board, "X", "cpu_op_async");

    PUT_LITERAL(at, "\"record_param_comms\"");
    at = put_place(board, at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_fixed(at, MAX(record->end_ns - record->begin_ns, 0));
    PUT_LITERAL(at, ", \"args\": {\"Collective name\": ");
    at = put_escaped(board, at,
                     collective_name(collective_text(board, kind, COLLECTIVE_TYPE, record)));
    if (*type) {
        PUT_LITERAL(at, ", \"dtype\": ");
        at = put_escaped(board, at, type);
    }
    PUT_LITERAL(at, ", \"In msg nelems\": ");
    at = put_uint(at, strobe_field_u64(record, kind->known[COLLECTIVE_COUNT], 0));
    PUT_LITERAL(at, ", \"Group size\": ");
    at = put_uint(at, strobe_field_u32(record, kind->known[COLLECTIVE_SIZE], 0));
    PUT_LITERAL(at, ", \"Process Group Name\": ");
    at = put_escaped(board, at, collective_text(board, kind, COLLECTIVE_GROUP, record));
    *at++ = '}';
    end_event(board, at, record);
}

void write_collective(Board *board, const BoardKind *kind, const StrobeView *record)
{
    const BoardRow *row = board_row(board, record->track);
    char *at;

    if (row->device < 0) {
        write_group_operation(board, kind, record, row);
        return;
    }
    at = BEGIN(board, "X", "kernel");
    at = put_name(board, at, kind, record);
    finish_span(board, at, kind, record, row, known_double(kind, COLLECTIVE_EXACT, record));
    board_flow_event_end(
        board, strobe_field_u64(record, kind->known[COLLECTIVE_CONNECTION], STROBE_ABSENT_U64), row,
        record->begin_ns);
}

/* Writes a record of a kind for which this exporter has no other function. The category is the name
 * of the kind. */
void write_generic(Board *board, const BoardKind *kind, const StrobeView *record)
{
    const BoardRow *row = board_row(board, record->track);
    gboolean is_span = kind->view->shape == STROBE_SHAPE_SPAN;
    gboolean is_counter = kind->view->shape == STROBE_SHAPE_COUNTER;
    char *at;

    if (kind->view->derived)
        return;
    if (is_counter && !kind->n_fields)
        return;
    at = begin_event(board, "\n{\"ph\": \"", strlen("\n{\"ph\": \""));
    *at++ = is_span ? 'X' : is_counter ? 'C' : 'i';
    PUT_LITERAL(at, "\", \"cat\": ");
    at = trace_out_text(&board->main, at, kind->name_text, kind->name_length);
    if (!is_span && !is_counter)
        PUT_LITERAL(at, ", \"s\": \"t\"");
    PUT_LITERAL(at, ", \"name\": ");
    at = put_name(board, at, kind, record);
    if (is_span) {
        finish_span(board, at, kind, record, row, NAN);
        return;
    }
    at = put_place(board, at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"args\": ");
    end_event(board, put_arguments(board, at, kind, record), record);
}

/* ---- instant events ---- */

/* Writes the last arguments of a record of the host's memory. If the allocator has no pool, the
 * reserved bytes are 0, as in Kineto, because the reader needs a number. */
static char *put_host_memory(char *at, const BoardKind *kind, const StrobeView *record)
{
    PUT_LITERAL(at, ", \"Device Type\": 0");
    if (strobe_field_i64(record, kind->known[MEMORY_RESERVED], 0) == STROBE_ABSENT_I64)
        PUT_LITERAL(at, ", \"Total Reserved\": 0");
    return PUT_LITERAL(at, "}");
}

void write_memory(Board *board, const BoardKind *kind, const StrobeView *record)
{
    gint32 device = (gint32)strobe_field_u32(record, kind->known[MEMORY_DEVICE], G_MAXUINT32);
    guint32 type = strobe_field_u32(record, kind->known[MEMORY_TYPE], (guint32)STROBE_ABSENT_I32);
    char *at;

    /* the reader shows neither states without an event nor events without an address */
    if (strobe_field_i64(record, kind->known[MEMORY_SIZE], STROBE_ABSENT_I64) ==
            STROBE_ABSENT_I64 ||
        strobe_field_u64(record, kind->known[MEMORY_ADDRESS], STROBE_ABSENT_U64) ==
            STROBE_ABSENT_U64)
        return;
    at = BEGIN(board, "i", "cpu_instant_event");
    PUT_LITERAL(at, "\"[memory]\", \"s\": \"t\"");
    at = put_place(board, at, board_row(board, record->track), record->begin_ns);
    PUT_LITERAL(at, ", \"args\": ");
    at = put_arguments(board, at, kind, record);
    if ((gint32)type == STROBE_ABSENT_I32) { /* the collector knows only the device, not its type */
        at--;
        if (device >= 0)
            PUT_LITERAL(at, ", \"Device Type\": 1}");
        else
            at = put_host_memory(at, kind, record);
    }
    end_event(board, at, record);
}

void write_counter(Board *board, const BoardKind *kind, const StrobeView *record)
{
    guint32 series = strobe_field_u32(record, kind->known[COUNTER_SERIES], 0);
    guint32 category = strobe_field_u32(record, kind->known[COUNTER_CATEGORY], 0);
    guint32 id = strobe_field_u32(record, kind->known[COUNTER_ID], 0);
    double value = known_double(kind, COUNTER_VALUE, record);
    char *at;

    if (!isfinite(value))
        return;
    at = begin_event(board, "\n{\"ph\": \"C\", \"cat\": ", strlen("\n{\"ph\": \"C\", \"cat\": "));
    if (category)
        at = put_string_id(board, at, category);
    else
        PUT_LITERAL(at, "\"counter\"");
    PUT_LITERAL(at, ", \"name\": ");
    at = put_name(board, at, kind, record);
    if (id) {
        PUT_LITERAL(at, ", \"id\": ");
        at = put_string_id(board, at, id);
    }
    at = put_place(board, at, board_row(board, record->track), record->begin_ns);
    PUT_LITERAL(at, ", \"args\": {");
    if (series)
        at = put_string_id(board, at, series);
    else
        PUT_LITERAL(at, "\"value\"");
    PUT_LITERAL(at, ": ");
    at += strobe_format_double(at, value);
    PUT_LITERAL(at, "}}");
    trace_out_done(&board->main, at);
    note_times(board, record);
}

/* Writes the link from an operator to its backward operator as a flow event. */
void write_link(Board *board, const BoardKind *kind, const StrobeView *record)
{
    gint64 to = strobe_field_i64(record, kind->known[LINK_TO_BEGIN], record->begin_ns);
    guint32 track = strobe_field_u32(record, kind->known[LINK_TO_TRACK], record->track);

    board->n_links++;
    board_write_flow_event(board, "fwdbwd", "s", board->n_links, board_row(board, record->track),
                           record->begin_ns);
    board_write_flow_event(board, "fwdbwd", "f", board->n_links, board_row(board, track), to);
}
