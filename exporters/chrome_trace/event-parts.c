/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "trace-state.h"

/* Begins the event of a span: {"ph": "X", "name": ..., "pid": ..., "tid": ..., "ts": "...", "dur":
 * ... */
char *put_begin_of_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                        const StrobeView *record, const TraceRow *row)
{
    char *at = trace_out_event(out);
    gint64 duration = record->end_ns - record->begin_ns;

    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, MAX(duration, 0));
    return at;
}

char *put_duration(const ChromeTrace *trace, char *at, const StrobeView *record, double exact_us)
{
    gint64 duration = record->end_ns - record->begin_ns;

    if (trace->is_old && isfinite(exact_us))
        return at + strobe_format_double(at, exact_us);
    return at + strobe_format_us_repr(at, MAX(duration, 0));
}

/* Writes an argument for each flag of the record. `first`: no argument precedes these. */
char *put_flags(char *at, const StrobeView *record, gboolean first)
{
    if (G_LIKELY(!record->flags))
        return at;
    if (record->flags & STROBE_VIEW_UNFINISHED) {
        if (!first)
            PUT_LITERAL(at, ", ");
        first = FALSE;
        PUT_LITERAL(at, "\"Unfinished\": true");
    }
    if (record->flags & STROBE_VIEW_STRADDLES) {
        if (!first)
            PUT_LITERAL(at, ", ");
        PUT_LITERAL(at, "\"Straddles\": true");
    }
    return at;
}

static char *put_key(TraceOut *out, char *at, const TraceField *field, gboolean *first)
{
    if (!*first)
        PUT_LITERAL(at, ", ");
    *first = FALSE;
    return trace_out_padded(out, at, field->key, field->key_length);
}

static char *put_double(char *at, double value)
{
    if (!isfinite(value))
        return PUT_LITERAL(at, "null");
    return at + strobe_format_double(at, value);
}

static char *put_track_number(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                              StrobeTrackId id, gboolean *first)
{
    const StrobeTrackView *track = id ? trace->host->track(trace->self, id) : NULL;

    if (!track)
        return at;
    return put_uint(put_key(out, at, field, first), track->number);
}

/* Writes the members of the JSON object that the field contains. If the field contains anything
 * else, writes it as a text. */
static char *put_members(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                         StrobeStringId id, gboolean *first)
{
    StrobeText text = trace->host->string(trace->self, id);

    if (!trace_is_object(text))
        return put_text(trace, out, put_key(out, at, field, first), TEXT_CACHE_PLAIN, id);
    if (text.length <= 2)
        return at;
    if (!*first)
        PUT_LITERAL(at, ", ");
    *first = FALSE;
    return trace_out_text(out, at, text.bytes + 1, text.length - 2);
}

/* Writes a field of four bytes, unless it has the value that means absent. */
static char *put_field32(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                         guint32 value, gboolean *first)
{
    switch (field->type) {
    case STROBE_FIELD_U32:
        if (value != STROBE_ABSENT_U32)
            at = put_uint(put_key(out, at, field, first), value);
        return at;
    case STROBE_FIELD_I32:
        if ((gint32)value != STROBE_ABSENT_I32)
            at = put_int(put_key(out, at, field, first), (gint32)value);
        return at;
    case STROBE_FIELD_STRING:
        if (value && field->is_json)
            return put_members(trace, out, at, field, value, first);
        if (value)
            at = put_text(trace, out, put_key(out, at, field, first), TEXT_CACHE_PLAIN, value);
        return at;
    case STROBE_FIELD_STACK:
        if (value)
            at = put_text(trace, out, put_key(out, at, field, first), TEXT_CACHE_STACK, value);
        return at;
    default:
        return put_track_number(trace, out, at, field, value, first);
    }
}

/* Writes the key and the value of the field, unless the field is absent. */
char *put_field(ChromeTrace *trace, TraceOut *out, char *at, const TraceField *field,
                const StrobeView *record, gboolean *first)
{
    guint64 value;
    double number;

    switch (field->type) {
    case STROBE_FIELD_U8:
        return put_uint(put_key(out, at, field, first), strobe_view_u8(record, field->offset));
    case STROBE_FIELD_BOOL:
        at = put_key(out, at, field, first);
        if (strobe_view_u8(record, field->offset))
            return PUT_LITERAL(at, "true");
        return PUT_LITERAL(at, "false");
    case STROBE_FIELD_U64:
    case STROBE_FIELD_LINK:
        value = strobe_view_u64(record, field->offset);
        if (value != STROBE_ABSENT_U64)
            at = put_uint(put_key(out, at, field, first), value);
        return at;
    case STROBE_FIELD_I64:
        value = strobe_view_u64(record, field->offset);
        if ((gint64)value != STROBE_ABSENT_I64)
            at = put_int(put_key(out, at, field, first), (gint64)value);
        return at;
    case STROBE_FIELD_F64:
        number = strobe_view_f64(record, field->offset);
        if (!isnan(number))
            at = put_double(put_key(out, at, field, first), number);
        return at;
    default:
        return put_field32(trace, out, at, field, strobe_view_u32(record, field->offset), first);
    }
}

/* Returns the sort key of a device event. Older files are sorted by time. In newer files the layers
 * follow each other, and the events of a layer keep their order of arrival. */
gint64 trace_device_key(const ChromeTrace *trace, const TraceRow *row, gint64 time_ns)
{
    return trace->is_old ? trace_part_key_of_time(time_ns) : row->layer->number;
}

void trace_hold_record(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       const TraceRow *row)
{
    switch (kind->part) {
    case TRACE_PART_BACKWARD:
        trace_part_add_record(&trace->backward, 0, kind, kind->field_bytes, row, record);
        break;
    case TRACE_PART_LINKS:
        trace_part_add_record(&trace->links, 0, kind, kind->field_bytes, row, record);
        break;
    case TRACE_PART_PYTHON:
        trace_part_add_record(&trace->python, row->number, kind, kind->field_bytes, row, record);
        break;
    default:
        trace_part_add_record(&trace->devices, trace_device_key(trace, row, record->begin_ns), kind,
                              kind->field_bytes, row, record);
    }
}
