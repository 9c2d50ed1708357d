/* SPDX-License-Identifier: Apache-2.0 */
/* Writes marks, counters, losses, and all kinds for which this exporter has no code of their
 * own. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "trace-state.h"

enum { ARGUMENT, DOMAIN, EVENT }; /* indexes in TraceKind.known */
enum { USAGE };

#define LOSS_ROW "Strobe losses"
#define RUN_ROW "Strobe" /* the row with calls and diagnostics of collectors */
#define USAGE_LAYER "CPU Usage"

/* Returns whether all fields of the record have values. A range that has not ended has only its
 * argument. */
static gboolean is_filled(const StrobeView *record)
{
    return !(record->flags & STROBE_VIEW_UNFINISHED);
}

/* Returns the event type in the source or, if there is none, the type of a range or an instant. */
static const char *event_type(const TraceKind *kind, const StrobeView *record)
{
    static const char *const words[] = {"marker", "push/pop", "start/end", "marker_ex"};
    guint32 event = strobe_field_u32(record, kind->known[EVENT], STROBE_ABSENT_U32);

    if (event < G_N_ELEMENTS(words) && is_filled(record))
        return words[event];
    return words[kind->view->shape == STROBE_SHAPE_SPAN ? 2 : 0];
}

const TraceRow *prepare_on_track(ChromeTrace *trace, const TraceKind *kind,
                                 const StrobeView *record)
{
    (void)kind;
    return trace_rows_of_track(trace->rows, record->track);
}

const TraceRow *prepare_marker(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    (void)kind;
    return trace_rows_of_marker(trace->rows, record->track);
}

void compose_marker(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                    const TraceRow *row)
{
    TraceOut *out = &trace->main;
    gboolean is_range = kind->view->shape == STROBE_SHAPE_SPAN;
    guint32 domain = strobe_field_u32(record, kind->known[DOMAIN], 0);
    guint64 argument = strobe_field_u64(record, kind->known[ARGUMENT], STROBE_ABSENT_U64);
    gint64 duration = record->end_ns - record->begin_ns;
    gboolean first = FALSE;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, is_range ? MAX(duration, 0) : 0);
    PUT_LITERAL(at, ", \"ph\": \"X\", \"args\": {\"event_type\": \"");
    at = g_stpcpy(at, event_type(kind, record));
    *at++ = '"';
    if (domain)
        at = put_text(trace, out, PUT_LITERAL(at, ", \"domain\": "), TEXT_CACHE_PLAIN, domain);
    else if (kind->known[EVENT] == STROBE_FIELD_MISSING) /* such an instant has no scope */
        PUT_LITERAL(at, ", \"domain\": \"default\"");
    if (argument != STROBE_ABSENT_U64) {
        PUT_LITERAL(at, ", \"argument\": ");
        at = put_uint(at, argument);
    }
    for (guint i = 0; i < kind->n_fields && is_filled(record); i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

const TraceRow *prepare_cpu_usage(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record)
{
    (void)kind;
    return trace_rows_in_layer(trace->rows, record->track, USAGE_LAYER, 0, NULL);
}

/* Writes the use of the processors into the layer that readers know. */
void compose_cpu_usage(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       const TraceRow *row)
{
    TraceOut *out = &trace->main;
    double usage = strobe_view_f64(record, kind->known[USAGE]);
    char *at;

    if (!isfinite(usage))
        return;
    at = trace_out_event(out);
    PUT_LITERAL(at, "{\"name\": ");
    if (record->name) {
        at = put_text(trace, out, at, TEXT_CACHE_PLAIN, record->name);
    } else {
        PUT_LITERAL(at, "\"" USAGE_LAYER "\"");
    }
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"ph\": \"C\", \"args\": {\"Usage(%)\": ");
    at += strobe_format_double(at, usage);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

/* Writes a generic event from its category to its end. */
static void end_generic(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                        const StrobeView *record)
{
    gboolean first = TRUE;

    PUT_LITERAL(at, ", \"cat\": ");
    at = trace_out_padded(out, at, kind->name_text, kind->name_length);
    PUT_LITERAL(at, ", \"args\": {");
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

static void write_span(ChromeTrace *trace, TraceOut *out, const TraceKind *kind,
                       const StrobeView *record, const TraceRow *row)
{
    end_generic(trace, out, put_begin_of_span(trace, out, kind, record, row), kind, record);
}

void write_loss(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    write_span(trace, trace_part_text(&trace->tail), kind, record,
               trace_rows_extra(trace->rows, record->track, LOSS_ROW));
}

const TraceRow *prepare_run_event(ChromeTrace *trace, const TraceKind *kind,
                                  const StrobeView *record)
{
    (void)kind;
    return trace_rows_extra(trace->rows, record->track, RUN_ROW);
}

void compose_generic(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row)
{
    write_span(trace, &trace->main, kind, record, row);
}

/* Writes an instant event. Readers would count a span as one of the row's spans. */
void compose_instant(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row)
{
    TraceOut *out = &trace->main;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"ph\": \"i\", \"s\": \"t\", \"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    end_generic(trace, out, at, kind, record);
}

/* Writes the numeric fields of a counter, because viewers do not draw other fields. */
void compose_generic_counter(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                             const TraceRow *row)
{
    TraceOut *out = &trace->main;
    char *at = trace_out_event(out);
    gboolean first = TRUE;

    PUT_LITERAL(at, "{\"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"ph\": \"C\", \"args\": {");
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    PUT_LITERAL(at, "}}");
    trace_out_done(out, at);
}

void write_incomplete(ChromeTrace *trace)
{
    const StrobeMetadata *metadata = trace->host->metadata(trace->self);
    gint64 duration = metadata->window_end_ns - metadata->window_begin_ns;
    TraceOut *out = trace_part_text(&trace->tail);
    const TraceRow *row;
    char *at;

    if ((!metadata->n_lost && metadata->complete) || trace->is_incomplete_reported)
        return;
    trace->is_incomplete_reported = TRUE;
    row = trace_rows_extra(trace->rows, 0, LOSS_ROW);
    at = trace_out_event(out);
    PUT_LITERAL(at, "{\"ph\": \"X\", \"name\": \"Incomplete\", ");
    at = put_place(at, row, metadata->window_begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at += strobe_format_us_repr(at, MAX(duration, 0));
    PUT_LITERAL(at, ", \"cat\": \"loss\", \"args\": {\"offered\": ");
    at = put_uint(at, metadata->n_stored + metadata->n_lost);
    PUT_LITERAL(at, ", \"stored\": ");
    at = put_uint(at, metadata->n_stored);
    PUT_LITERAL(at, ", \"lost\": ");
    at = put_uint(at, metadata->n_lost);
    if (metadata->complete)
        PUT_LITERAL(at, ", \"capture_complete\": true}}");
    else
        PUT_LITERAL(at, ", \"capture_complete\": false}}");
    trace_out_done(out, at);
}
