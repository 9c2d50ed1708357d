/* SPDX-License-Identifier: Apache-2.0 */
/* Writes events that only traces of other tools contain: flow events by name, and counters with
 * many series. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "trace-state.h"

enum { CATEGORY, NUMBER, ID, PHASE, IS_ENCLOSING }; /* indexes in TraceKind.known */
enum { VALUE, SERIES };

static const CachedText *text_of(ChromeTrace *trace, StrobeStringId id)
{
    return text_cache_get(trace->texts, TEXT_CACHE_PLAIN, id);
}

static char *put_id(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                    const StrobeView *record)
{
    guint64 number = strobe_field_u64(record, kind->known[NUMBER], STROBE_ABSENT_U64);

    if (number != STROBE_ABSENT_U64)
        return put_uint(at, number);
    return put_text(trace, out, at, TEXT_CACHE_PLAIN, strobe_field_u32(record, kind->known[ID], 0));
}

static guint phase_of(const TraceKind *kind, const StrobeView *record)
{
    return MIN(strobe_field_u8(record, kind->known[PHASE], 0), FLOW_END);
}

static void put_flow(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                     const StrobeView *record, const TraceRow *row)
{
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"ph\": \"");
    *at++ = "stf"[phase_of(kind, record)];
    PUT_LITERAL(at, "\", ");
    if (strobe_field_u8(record, kind->known[IS_ENCLOSING], 0))
        PUT_LITERAL(at, "\"bp\": \"e\", ");
    PUT_LITERAL(at, "\"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", \"id\": ");
    at = put_id(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"cat\": ");
    at = put_text(trace, out, at, TEXT_CACHE_PLAIN,
                  strobe_field_u32(record, kind->known[CATEGORY], 0));
    *at++ = '}';
    trace_out_done(out, at);
}

/* Passes an end of a flow event to the flow matcher, which identifies flow events by category, name
 * and id. */
static void pass_matcher(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row)
{
    const CachedText *category = text_of(trace, strobe_field_u32(record, kind->known[CATEGORY], 0));
    g_autofree char *of = g_strndup(category->bytes, category->length);
    guint64 number = strobe_field_u64(record, kind->known[NUMBER], STROBE_ABSENT_U64);
    g_autofree char *id = g_strdup_printf("%u %" G_GUINT64_FORMAT " %u", record->name, number,
                                          strobe_field_u32(record, kind->known[ID], 0));

    put_flow(trace, flow_matcher_event(trace->matcher), kind, record, row);
    flow_matcher_take(trace->matcher, of, id, strlen(id), phase_of(kind, record),
                      trace_part_text(&trace->links));
}

const TraceRow *prepare_external_flow(ChromeTrace *trace, const TraceKind *kind,
                                      const StrobeView *record)
{
    const TraceRow *row = trace_rows_of_track(trace->rows, record->track);

    if (!trace->matcher)
        return row;
    pass_matcher(trace, kind, record, row);
    return NULL;
}

void compose_external_flow(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                           const TraceRow *row)
{
    put_flow(trace, &trace->main, kind, record, row);
}

void compose_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row)
{
    TraceOut *out = &trace->main;
    StrobeStringId series = strobe_field_u32(record, kind->known[SERIES], 0);
    double value = strobe_view_f64(record, kind->known[VALUE]);
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"ph\": \"C\", \"args\": {");
    if (!isnan(value)) {
        if (series)
            at = put_text(trace, out, at, TEXT_CACHE_PLAIN, series);
        else
            PUT_LITERAL(at, "\"value\"");
        PUT_LITERAL(at, ": ");
        if (isfinite(value))
            at += strobe_format_double(at, value);
        else
            PUT_LITERAL(at, "null");
    }
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}
