/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an event of an imported trace that fits no kind, without changes. */
#include <math.h>
#include <strobe/helpers/fields.h>
#include <strobe/helpers/json-scanner.h>

#include "trace-state.h"

enum { PHASE, CATEGORY, ID, ARGUMENTS, DURATION }; /* indexes in TraceKind.known */

/* Returns whether the text is a JSON object. A capture may contain any text; other texts are
 * written as JSON strings. */
gboolean trace_is_object(StrobeText text)
{
    StrobeJsonScanner *scanner = strobe_json_scanner_new_bytes(text.bytes, text.length);
    int token = strobe_json_scanner_next(scanner, NULL, NULL);
    gboolean is_one = token == STROBE_JSON_OBJECT;

    while (is_one && token > 0)
        token = strobe_json_scanner_next(scanner, NULL, NULL);
    strobe_json_scanner_free(scanner);
    for (gsize i = 0; is_one && i < text.length; i++)
        is_one = (guchar)text.bytes[i] >= 0x20;
    return is_one && token == STROBE_JSON_END &&
           g_utf8_validate(text.bytes, (gssize)text.length, NULL);
}

static char *put_member(ChromeTrace *trace, TraceOut *out, char *at, const char *key, guint32 id)
{
    at = g_stpcpy(at, key);
    return put_text(trace, out, at, TEXT_CACHE_PLAIN, id);
}

static char *put_arguments(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                           const StrobeView *record)
{
    guint32 id = strobe_field_u32(record, kind->known[ARGUMENTS], 0);
    StrobeText text = trace->host->string(trace->self, id);

    if (!text.length || !strcmp(text.bytes, "{}"))
        return at;
    if (!trace_is_object(text))
        return put_member(trace, out, at, ", \"args\": ", id);
    PUT_LITERAL(at, ", \"args\": ");
    return trace_out_text(out, at, text.bytes, text.length);
}

/* Writes the row and the time of an event. In older files counters have the time first. */
static char *put_when(ChromeTrace *trace, char *at, const TraceRow *row, gint64 time_ns,
                      guint32 phase)
{
    if (!phase || strcmp(trace->host->string(trace->self, phase).bytes, "C"))
        return put_place(at, row, time_ns);
    PUT_LITERAL(at, "\"ts\": ");
    at = put_time(at, row, time_ns);
    PUT_LITERAL(at, ", ");
    return put_where(at, row);
}

/* Writes the event, with the keys in the order of the device's or the framework's events. */
void compose_source_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row)
{
    guint32 phase = strobe_field_u32(record, kind->known[PHASE], 0);
    guint32 category = strobe_field_u32(record, kind->known[CATEGORY], 0);
    guint32 id = strobe_field_u32(record, kind->known[ID], 0);
    double duration = kind->known[DURATION] == STROBE_FIELD_MISSING
                          ? NAN
                          : strobe_view_f64(record, kind->known[DURATION]);
    gboolean is_first = row->layer->is_framework;
    gboolean is_last = !is_first && trace->is_old;
    TraceOut *out = &trace->main;
    char *at = trace_out_event(out);

    *at++ = '{';
    if (is_first)
        at = put_member(trace, out, at, "\"ph\": ", phase);
    at = put_member(trace, out, at, is_first ? ", \"name\": " : "\"name\": ", record->name);
    if (id)
        at = put_member(trace, out, at, ", \"id\": ", id);
    PUT_LITERAL(at, ", ");
    at = put_when(trace, at, row, record->begin_ns, is_last ? phase : 0);
    if (isfinite(duration)) {
        PUT_LITERAL(at, ", \"dur\": ");
        at += strobe_format_double(at, duration);
    }
    if (!is_first && !is_last)
        at = put_member(trace, out, at, ", \"ph\": ", phase);
    if (category)
        at = put_member(trace, out, at, ", \"cat\": ", category);
    at = put_arguments(trace, out, at, kind, record);
    if (is_last)
        at = put_member(trace, out, at, ", \"ph\": ", phase);
    *at++ = '}';
    trace_out_done(out, at);
}
