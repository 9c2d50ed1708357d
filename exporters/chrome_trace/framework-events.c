/* SPDX-License-Identifier: Apache-2.0 */
/* The framework's half of the file: operators, steps, collections, forward to backward links. */
#include <strobe/helpers/fields.h>

#include "chrome-trace.h"

enum { SEQUENCE, FORWARD_THREAD, SHAPES, TYPES, STACK }; /* in TraceKind.known */
enum { LINK_SEQUENCE, LINK_TO_BEGIN, LINK_TO_TRACK };

static guint32 known_u32(const TraceKind *kind, guint index, const StrobeView *record)
{
    return strobe_field_u32(record, kind->known[index], 0);
}

void write_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceOut *out = &trace->main;
    const TraceRow *row = trace_rows_of_track(trace->rows, record->track);
    char *at = put_begin_of_span(trace, out, kind, record, row);
    gboolean first = FALSE;
    guint32 id;

    PUT_LITERAL(at, ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": ");
    at = put_int(at, strobe_field_i64(record, kind->known[SEQUENCE], -1));
    PUT_LITERAL(at, ", \"Fwd thread id\": ");
    at = put_uint(at, strobe_field_u64(record, kind->known[FORWARD_THREAD], 0));
    if ((id = known_u32(kind, SHAPES, record))) {
        PUT_LITERAL(at, ", \"Input Dims\": ");
        at = put_text(trace, out, at, TEXT_CACHE_LIST, id);
    }
    if ((id = known_u32(kind, TYPES, record))) {
        PUT_LITERAL(at, ", \"Input type\": ");
        at = put_text(trace, out, at, TEXT_CACHE_LIST, id);
    }
    if ((id = known_u32(kind, STACK, record))) {
        PUT_LITERAL(at, ", \"Call stack\": ");
        at = put_text(trace, out, at, TEXT_CACHE_STACK, id);
    }
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

/* Readers find steps by their name among the operators. */
void write_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceOut *out = &trace->main;
    const TraceRow *row = trace_rows_of_track(trace->rows, record->track);
    char *at = put_begin_of_span(trace, out, kind, record, row);

    PUT_LITERAL(at,
                ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0");
    at = put_flags(at, record, FALSE);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

void write_gc(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceOut *out = &trace->gc;
    const TraceRow *row =
        trace_rows_in_layer(trace->rows, record->track, "Python GC",
                            trace_rows_pid(trace->rows, record->track), "Python GC");
    char *at = trace_out_event(out);
    gint64 duration = record->end_ns - record->begin_ns;

    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": \"GC\", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, MAX(duration, 0));
    PUT_LITERAL(at, ", \"cat\": \"GC\", \"args\": {");
    at = put_flags(at, record, TRUE);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

static void write_flow_end(TraceOut *out, char phase, gint64 id, const TraceRow *row,
                           gint64 time_ns)
{
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"ph\": \"");
    *at++ = phase;
    PUT_LITERAL(at, "\", \"bp\": \"e\", \"name\": \"fwdbwd\", \"id\": ");
    at = put_int(at, id);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, time_ns);
    PUT_LITERAL(at, ", \"cat\": \"fwdbwd\"}");
    trace_out_done(out, at);
}

void write_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    StrobeTrackId to_track = strobe_field_u32(record, kind->known[LINK_TO_TRACK], 0);
    const TraceRow *from = trace_rows_of_track(trace->rows, record->track);
    const TraceRow *to = trace_rows_of_track(trace->rows, to_track);
    gint64 id = strobe_field_i64(record, kind->known[LINK_SEQUENCE], 0);

    /* The names come before the flows; by now every thread with an operator is known. */
    trace_rows_write(trace->rows, TRACE_LAYERS_PROCESS, &trace->main);
    if (from == to) /* the format draws links between threads only */
        return;
    write_flow_end(&trace->main, 's', id, from, record->begin_ns);
    write_flow_end(&trace->main, 'f', id, to,
                   strobe_field_i64(record, kind->known[LINK_TO_BEGIN], record->begin_ns));
}
