/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the events for which the importer of traces had no other kind, without changes. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "tensorboard.h"

enum { SPAN_CATEGORY, SPAN_ID, SPAN_ARGUMENTS, SPAN_PHASE, SPAN_UNFINISHED, SPAN_STACK };
enum {
    EVENT_PHASE,
    EVENT_CATEGORY,
    EVENT_ID,
    EVENT_SCOPE,
    EVENT_ARGUMENTS,
    EVENT_DURATION,
    EVENT_STACK
};
enum { FLOW_CATEGORY, FLOW_NUMBER, FLOW_ID, FLOW_PHASE, FLOW_ENCLOSING };

static guint32 read_known(const BoardKind *kind, guint index, const StrobeView *record)
{
    return strobe_field_u32(record, kind->known[index], 0);
}

static char *put_member(Board *board, char *at, const char *key, guint32 id)
{
    at = trace_out_text(&board->main, at, key, strlen(key));
    return put_string_id(board, at, id);
}

/* Writes an id. An id with a scope is an object, for example {"local": "0x1"}. */
static char *put_id(Board *board, char *at, guint32 id)
{
    StrobeText text = board->host->string(board->self, id);

    if (text.length == 0 || *text.bytes != '{')
        return put_member(board, at, ", \"id\": ", id);
    PUT_LITERAL(at, ", \"id2\": ");
    return put_json(board, at, id);
}

/* Writes the begin of an event, up to its category. `phase` 0: the phase is X. */
static char *begin_event(Board *board, guint32 phase, guint32 category)
{
    char *at = trace_out_event(&board->main);

    PUT_LITERAL(at, "\n{\"ph\": ");
    if (phase)
        at = put_string_id(board, at, phase);
    else
        PUT_LITERAL(at, "\"X\"");
    PUT_LITERAL(at, ", \"cat\": "); /* the reader requires a category */
    return put_string_id(board, at, category);
}

static char *put_where(Board *board, char *at, const StrobeView *record, gint64 time_ns)
{
    const BoardRow *row = board_row(board, record->track);

    at = put_member(board, at, ", \"name\": ", record->name);
    PUT_LITERAL(at, ", ");
    at = trace_out_text(&board->main, at, row->place, row->place_length);
    board->first = MIN(board->first, record->begin_ns);
    board->last = MAX(board->last, record->end_ns);
    return put_time(board, at, time_ns);
}

/* Writes the frames of a stack as a list; the outermost frame comes first. */
static char *put_frames(Board *board, char *at, StrobeStackId stack)
{
    const StrobeStringId *frames = NULL;
    size_t n = board->host->stack_frames(board->self, stack, &frames);

    for (size_t i = n; i-- > 0;)
        at = put_member(board, at, i == n - 1 ? ", \"stack\": [" : ", ", frames[i]);
    if (n)
        *at++ = ']';
    return at;
}

static void finish_event(Board *board, char *at, guint32 arguments, StrobeStackId stack)
{
    if (stack)
        at = put_frames(board, at, stack);
    if (arguments) {
        PUT_LITERAL(at, ", \"args\": ");
        at = put_json(board, at, arguments);
    }
    *at++ = '}';
    trace_out_done(&board->main, at);
}

/* Writes an event that begins or ends an asynchronous span. Such a span has an id. */
static void write_async(Board *board, const BoardKind *kind, const StrobeView *record, char first,
                        gboolean is_end)
{
    static const char *const ends[] = {"\n{\"ph\": \"e\", \"cat\": ",
                                       "\n{\"ph\": \"F\", \"cat\": "};
    char *at;

    if (is_end) {
        const char *text = ends[first == 'S'];

        at = trace_out_text(&board->main, trace_out_event(&board->main), text, strlen(text));
        at = put_string_id(board, at, read_known(kind, SPAN_CATEGORY, record));
    } else {
        at = begin_event(board, read_known(kind, SPAN_PHASE, record),
                         read_known(kind, SPAN_CATEGORY, record));
    }
    at = put_id(board, at, read_known(kind, SPAN_ID, record));
    at = put_where(board, at, record, is_end ? record->end_ns : record->begin_ns);
    if (is_end)
        finish_event(board, at, 0, 0);
    else
        finish_event(board, at, read_known(kind, SPAN_ARGUMENTS, record),
                     read_known(kind, SPAN_STACK, record));
}

/* Writes a span of a thread as one complete event, even if the source had two events for it. */
void write_source_span(Board *board, const BoardKind *kind, const StrobeView *record)
{
    StrobeText phase = board->host->string(board->self, read_known(kind, SPAN_PHASE, record));
    char first = phase.length ? phase.bytes[0] : 'X';
    gboolean is_unfinished = strobe_field_u8(record, kind->known[SPAN_UNFINISHED], 0);
    gboolean is_async = first == 'b' || first == 'S';
    guint32 id = read_known(kind, SPAN_ID, record);
    char *at;

    if (is_async || is_unfinished) {
        write_async(board, kind, record, first, FALSE);
        if (!is_unfinished)
            write_async(board, kind, record, first, TRUE);
        return;
    }
    at = begin_event(board, 0, read_known(kind, SPAN_CATEGORY, record));
    if (id)
        at = put_id(board, at, id);
    at = put_where(board, at, record, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_fixed(at, MAX(record->end_ns - record->begin_ns, 0));
    finish_event(board, at, read_known(kind, SPAN_ARGUMENTS, record),
                 read_known(kind, SPAN_STACK, record));
}

void write_source_event(Board *board, const BoardKind *kind, const StrobeView *record)
{
    guint32 id = read_known(kind, EVENT_ID, record), scope = read_known(kind, EVENT_SCOPE, record);
    double duration = kind->known[EVENT_DURATION] == STROBE_FIELD_MISSING
                          ? NAN
                          : strobe_view_f64(record, kind->known[EVENT_DURATION]);
    char *at = begin_event(board, read_known(kind, EVENT_PHASE, record),
                           read_known(kind, EVENT_CATEGORY, record));

    if (id)
        at = put_id(board, at, id);
    if (scope)
        at = put_member(board, at, ", \"s\": ", scope);
    at = put_where(board, at, record, record->begin_ns);
    if (isfinite(duration)) {
        PUT_LITERAL(at, ", \"dur\": ");
        at += strobe_format_double(at, duration);
    }
    finish_event(board, at, read_known(kind, EVENT_ARGUMENTS, record),
                 read_known(kind, EVENT_STACK, record));
}

void write_source_flow(Board *board, const BoardKind *kind, const StrobeView *record)
{
    static const char phases[] = "stf";
    guint8 phase = MIN(strobe_field_u8(record, kind->known[FLOW_PHASE], 0), 2);
    guint64 number = strobe_field_u64(record, kind->known[FLOW_NUMBER], STROBE_ABSENT_U64);
    char *at = trace_out_event(&board->main);

    PUT_LITERAL(at, "\n{\"ph\": \"");
    *at++ = phases[phase];
    PUT_LITERAL(at, "\", \"cat\": ");
    at = put_string_id(board, at, read_known(kind, FLOW_CATEGORY, record));
    if (number != STROBE_ABSENT_U64) {
        PUT_LITERAL(at, ", \"id\": ");
        at = put_uint(at, number);
    } else {
        at = put_member(board, at, ", \"id\": ", read_known(kind, FLOW_ID, record));
    }
    if (strobe_field_u8(record, kind->known[FLOW_ENCLOSING], 0))
        PUT_LITERAL(at, ", \"bp\": \"e\"");
    at = put_where(board, at, record, record->begin_ns);
    finish_event(board, at, 0, 0);
}
