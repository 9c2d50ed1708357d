/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the events of the framework: operators, steps, garbage collections, Python calls. */
#include <strobe/helpers/fields.h>

#include "trace-state.h"

enum { SEQUENCE, FORWARD_THREAD, SHAPES, TYPES, STACK, FLOPS }; /* indexes in TraceKind.known */
enum { CALL_ID, CALL_PARENT, CALL_MODULE };

static guint32 known_u32(const TraceKind *kind, guint index, const StrobeView *record)
{
    return strobe_field_u32(record, kind->known[index], 0);
}

void compose_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                    const TraceRow *row)
{
    TraceOut *out = &trace->main;
    char *at = put_begin_of_span(trace, out, kind, record, row);
    gboolean first = FALSE;
    guint64 flops;
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
    if ((flops = strobe_field_u64(record, kind->known[FLOPS], STROBE_ABSENT_U64)) !=
        STROBE_ABSENT_U64) {
        /* the value is a text, as in the Ascend profiler's files */
        PUT_LITERAL(at, ", \"flops\": \"");
        at = put_uint(at, flops);
        PUT_LITERAL(at, "\"");
    }
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

const TraceRow *prepare_cpu_op(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceRow *row = trace_rows_of_track(trace->rows, record->track);

    (void)kind;
    trace_row_begins(row, TRACE_ROW_OPERATORS);
    return row;
}

/* Writes a step like an operator, because readers find steps by their names among the operators. */
void compose_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                  const TraceRow *row)
{
    TraceOut *out = &trace->main;
    char *at = put_begin_of_span(trace, out, kind, record, row);

    PUT_LITERAL(at,
                ", \"cat\": \"cpu_op\", \"args\": {\"Sequence number\": -1, \"Fwd thread id\": 0");
    at = put_flags(at, record, FALSE);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

const TraceRow *prepare_step(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    return trace->has_steps ? NULL : prepare_on_track(trace, kind, record);
}

void write_gc(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    TraceOut *out = trace_part_text(&trace->gc);
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

const TraceRow *prepare_python_call(ChromeTrace *trace, const TraceKind *kind,
                                    const StrobeView *record)
{
    TraceRow *row = trace_rows_of_track(trace->rows, record->track);

    (void)kind;
    trace_row_begins(row, TRACE_ROW_PYTHON);
    return row;
}

/* Writes a Python call. The trace has the calls grouped by thread, in the order in which they
 * return. */
void compose_python_call(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row)
{
    gint64 module = strobe_field_i64(record, kind->known[CALL_MODULE], STROBE_ABSENT_I64);
    TraceOut *out = &trace->main;
    gboolean first = FALSE;
    char *at;

    at = put_begin_of_span(trace, out, kind, record, row);
    PUT_LITERAL(at, ", \"cat\": \"python_function\", \"args\": {\"Python id\": ");
    at = put_uint(at, strobe_field_u64(record, kind->known[CALL_ID], 0));
    PUT_LITERAL(at, ", \"Python parent id\": ");
    at = put_uint(at, strobe_field_u64(record, kind->known[CALL_PARENT], 0));
    if (module != STROBE_ABSENT_I64) {
        PUT_LITERAL(at, ", \"Python module id\": ");
        at = put_int(at, module);
    }
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}
