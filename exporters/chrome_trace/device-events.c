/* SPDX-License-Identifier: Apache-2.0 */
/* Writes spans of devices and of the interfaces to devices. */
#include <math.h>
#include <strobe/helpers/fields.h>

#include "device-kinds.h"
#include "launch-flows.h"
#include "prune.h"

enum { OVERLAP_TYPE, OVERLAP_DEVICE }; /* indexes in TraceKind.known */

static StrobeText text_of(ChromeTrace *trace, StrobeStringId id)
{
    return trace->host->string(trace->self, id);
}

/* Returns the properties of a word, which are cached. An empty slot has the id 0, which is not the
 * id of a word. */
static const TraceWord *word_of(ChromeTrace *trace, StrobeStringId id)
{
    TraceWord *word = &trace->words[id % TRACE_WORDS];
    const char *text;

    if (word->id == id)
        return word;
    text = text_of(trace, id).bytes;
    *word = (TraceWord){.id = id,
                        .prefix = ascend_api_prefix(text, trace->rows->generation),
                        .is_collective = !strcmp(text, "hccl") || !strcmp(text, "communication"),
                        .is_upper = !strcmp(text, "acl"),
                        .is_none = !strcmp(text, "N/A")};
    return word;
}

static const TraceWord *level_of(ChromeTrace *trace, const TraceEvents *events,
                                 const StrobeView *record)
{
    return word_of(trace, strobe_field_u32(record, events->level, 0));
}

/* Writes the level of a call. The level of collectives has another name in newer files. */
static char *put_level(ChromeTrace *trace, TraceOut *out, char *at, StrobeStringId id)
{
    if (!word_of(trace, id)->is_collective)
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, id);
    if (trace->is_old)
        return PUT_LITERAL(at, "\"hccl\"");
    return PUT_LITERAL(at, "\"communication\"");
}

static gboolean is_string(guint32 type)
{
    return type == STROBE_FIELD_STRING || type == STROBE_FIELD_STACK;
}

static char *put_string(ChromeTrace *trace, TraceOut *out, char *at, const TraceArgument *argument,
                        StrobeStringId id)
{
    guint cache = argument->type == STROBE_FIELD_STACK ? TEXT_CACHE_STACK
                  : argument->form == ASCEND_ARG_LIST  ? TEXT_CACHE_LIST
                                                       : TEXT_CACHE_PLAIN;

    return put_text(trace, out, at, cache, id);
}

/* Returns the type of the task. In the newest files this is the type of the core, if the record has
 * one. */
static StrobeStringId task_type(ChromeTrace *trace, const TraceArgument *argument,
                                const StrobeView *record)
{
    StrobeStringId own =
        argument->type == STROBE_FIELD_STRING ? strobe_view_u32(record, argument->offset) : 0;
    StrobeStringId core = argument->other_type == STROBE_FIELD_STRING
                              ? strobe_view_u32(record, argument->other_offset)
                              : 0;

    if (trace->is_old && own)
        return own;
    return core && !word_of(trace, core)->is_none ? core : own;
}

static char *put_value(ChromeTrace *trace, TraceOut *out, char *at, const TraceArgument *argument,
                       const StrobeView *record)
{
    if (is_string(argument->type))
        return put_string(trace, out, at, argument, strobe_view_u32(record, argument->offset));
    return put_form(at, argument->form, argument->type, record, argument->offset);
}

/* Writes the text that stands for an absent value. */
static char *put_absent(TraceOut *out, char *at, const TraceArgument *argument)
{
    gboolean is_text = argument->form == ASCEND_ARG_TEXT;

    if (is_text)
        *at++ = '"';
    at = trace_out_text(out, at, argument->absent, strlen(argument->absent));
    if (is_text)
        *at++ = '"';
    return at;
}

/* Returns whether this record has a value for the argument. */
static gboolean has_value(ChromeTrace *trace, const TraceArgument *argument,
                          const StrobeView *record)
{
    switch (argument->source) {
    case TRACE_ARGUMENT_FIELD:
    case TRACE_ARGUMENT_LEVEL:
        return !is_field_absent(argument->type, record, argument->offset);
    case TRACE_ARGUMENT_TASK_TYPE:
        return task_type(trace, argument, record) != 0;
    default:
        return TRUE;
    }
}

static char *put_any(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                     const TraceArgument *argument, const StrobeView *record)
{
    switch (argument->source) {
    case TRACE_ARGUMENT_NAME:
        return put_name(trace, out, at, kind, record);
    case TRACE_ARGUMENT_LEVEL:
        return put_level(trace, out, at, strobe_view_u32(record, argument->offset));
    case TRACE_ARGUMENT_FUNCTION:
        if (!level_of(trace, kind->events, record)->is_upper)
            return PUT_LITERAL(at, "\"0\"");
        return put_name(trace, out, at, kind, record);
    case TRACE_ARGUMENT_TASK_TYPE:
        return put_text(trace, out, at, TEXT_CACHE_PLAIN, task_type(trace, argument, record));
    default:
        return put_value(trace, out, at, argument, record);
    }
}

/* Writes the argument's key, without the separator if it is the first argument. */
static inline char *put_key(TraceOut *out, char *at, const TraceArgument *argument, gboolean *first)
{
    const guint skipped = *first ? strlen(", ") : 0;

    *first = FALSE;
    return trace_out_padded(out, at, argument->key + skipped, argument->key_length - skipped);
}

static char *put_none(TraceOut *out, char *at, const TraceArgument *argument, gboolean *first)
{
    return argument->absent ? put_absent(out, put_key(out, at, argument, first), argument) : at;
}

/* Writes an argument for which put_argument has no case. */
static char *put_other(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                       const TraceArgument *argument, const StrobeView *record, gboolean *first)
{
    if (!has_value(trace, argument, record))
        return put_none(out, at, argument, first);
    return put_any(trace, out, put_key(out, at, argument, first), kind, argument, record);
}

static inline char *put_argument(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                                 const TraceArgument *argument, const TraceRow *row,
                                 const StrobeView *record, gboolean *first)
{
    guint64 wide;
    guint32 word;

    switch (argument->put) {
    case TRACE_PUT_ROW:
        return put_uint(put_key(out, at, argument, first), row->tid);
    case TRACE_PUT_TEXT:
        word = strobe_view_u32(record, argument->offset);
        if (!word)
            return put_none(out, at, argument, first);
        return put_text(trace, out, put_key(out, at, argument, first), TEXT_CACHE_PLAIN, word);
    case TRACE_PUT_U32:
        word = strobe_view_u32(record, argument->offset);
        if (word == STROBE_ABSENT_U32)
            return put_none(out, at, argument, first);
        return put_uint(put_key(out, at, argument, first), word);
    case TRACE_PUT_I32:
        word = strobe_view_u32(record, argument->offset);
        if ((gint32)word == STROBE_ABSENT_I32)
            return put_none(out, at, argument, first);
        return put_int(put_key(out, at, argument, first), (gint32)word);
    case TRACE_PUT_U64:
        wide = strobe_view_u64(record, argument->offset);
        if (wide == STROBE_ABSENT_U64)
            return put_none(out, at, argument, first);
        return put_uint(put_key(out, at, argument, first), wide);
    case TRACE_PUT_I64:
        wide = strobe_view_u64(record, argument->offset);
        if ((gint64)wide == STROBE_ABSENT_I64)
            return put_none(out, at, argument, first);
        return put_int(put_key(out, at, argument, first), (gint64)wide);
    default:
        return put_other(trace, out, at, kind, argument, record, first);
    }
}

static char *put_arguments(ChromeTrace *trace, TraceOut *out, char *at, const TraceKind *kind,
                           const TraceRow *row, const StrobeView *record)
{
    const TraceEvents *events = kind->events;
    gboolean first = TRUE;

    PUT_LITERAL(at, "\"args\": {");
    for (guint i = 0; i < events->n_arguments; i++)
        at = put_argument(trace, out, at, kind, &events->arguments[i], row, record, &first);
    for (guint i = 0; i < kind->n_fields; i++)
        at = put_field(trace, out, at, &kind->fields[i], record, &first);
    at = put_flags(at, record, first);
    *at++ = '}';
    return at;
}

/* Returns the row in the layer of the interface, even if the collector names no layer. */
static const TraceRow *row_of(ChromeTrace *trace, const TraceEvents *events, const char *prefix,
                              const StrobeView *record)
{
    const StrobeTrackView *track;
    TraceRow *row = NULL;
    char name[32];

    if (events->layer != ASCEND_LAYER_OS_CALL && (events->layer != ASCEND_LAYER_CANN || !prefix))
        return trace_rows_of_track(trace->rows, record->track);
    track = trace->host->track(trace->self, record->track);
    if (!track || *track->group || track->type != STROBE_TRACK_THREAD)
        return trace_rows_of_track(trace->rows, record->track);
    g_snprintf(name, sizeof name, "Thread %" G_GUINT64_FORMAT, track->number);
    row = trace_rows_in_layer(trace->rows, record->track,
                              events->layer == ASCEND_LAYER_CANN ? "CANN" : "OS Runtime API",
                              track->number, name);
    return row;
}

static char *put_call_name(ChromeTrace *trace, TraceOut *out, char *at, const char *prefix,
                           const TraceKind *kind, const StrobeView *record)
{
    const CachedText *name;

    if (!prefix)
        return put_name(trace, out, at, kind, record);
    *at++ = '"';
    at = g_stpcpy(at, prefix);
    *at++ = '@';
    name = text_cache_get(trace->texts, TEXT_CACHE_PLAIN, record->name);
    return trace_out_text(out, at, name->bytes + 1, name->length - 1);
}

/* Returns the text that precedes a call's name in the trace. Returns NULL if the record is not a
 * call, or has a layer that is not CANN's. */
static const char *prefix_of(ChromeTrace *trace, const TraceEvents *events,
                             const StrobeView *record)
{
    const StrobeTrackView *track;
    const char *prefix;

    if (events->layer != ASCEND_LAYER_CANN)
        return NULL;
    prefix = level_of(trace, events, record)->prefix;
    if (prefix)
        return prefix;
    track = trace->host->track(trace->self, record->track);
    return track && !strcmp(track->group, "CANN") ? "Api" : NULL;
}

/* Writes the duration. In older files it is the whole number 0 for a task that took no time. */
static char *put_event_duration(ChromeTrace *trace, char *at, const TraceEvents *events,
                                const StrobeView *record)
{
    double exact =
        events->exact == STROBE_FIELD_MISSING ? NAN : strobe_view_f64(record, events->exact);

    if (trace->is_old && events->layer == ASCEND_LAYER_HARDWARE && !isfinite(exact) &&
        record->end_ns <= record->begin_ns)
        return PUT_LITERAL(at, "0");
    return put_duration(trace, at, record, exact);
}

static gboolean is_pruned(ChromeTrace *trace, const char *prefix, const StrobeView *record)
{
    StrobeText name;

    if (trace->rows->level != 0)
        return FALSE;
    name = text_of(trace, record->name);
    return prefix ? prune_has_prefix(prefix, strlen(prefix))
                  : prune_has_prefix(name.bytes, name.length);
}

const TraceRow *prepare_device_event(ChromeTrace *trace, const TraceKind *kind,
                                     const StrobeView *record)
{
    const TraceEvents *events = kind->events;
    const char *prefix = prefix_of(trace, events, record);
    const TraceRow *row = row_of(trace, events, prefix, record);

    launches_take(trace, events, row, record);
    return is_pruned(trace, prefix, record) ? NULL : row;
}

void compose_device_event(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                          const TraceRow *row)
{
    const TraceEvents *events = kind->events;
    const char *prefix = prefix_of(trace, events, record);
    TraceOut *out = &trace->main;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"name\": ");
    at = put_call_name(trace, out, at, prefix, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at = put_event_duration(trace, at, events, record);
    if (!trace->is_old)
        PUT_LITERAL(at, ", \"ph\": \"X\"");
    PUT_LITERAL(at, ", ");
    at = put_arguments(trace, out, at, kind, row, record);
    if (trace->is_old)
        PUT_LITERAL(at, ", \"ph\": \"X\"");
    *at++ = '}';
    trace_out_done(out, at);
}

const TraceRow *prepare_overlap(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    const StrobeTrackView *track = trace->host->track(trace->self, record->track);
    gint32 device = (gint32)strobe_field_u32(record, kind->known[OVERLAP_DEVICE],
                                             track ? (guint32)track->device : 0);

    if (trace->is_import) /* an imported record may lack its device */
        device = MAX(device, 0);
    return trace_rows_of_device(trace->rows, record->track, "Overlap Analysis", device,
                                strobe_field_u32(record, kind->known[OVERLAP_TYPE], 0),
                                "Computing");
}

void compose_overlap(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                     const TraceRow *row)
{
    TraceOut *out = &trace->main;
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"name\": ");
    at = put_name(trace, out, at, kind, record);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, record->begin_ns);
    PUT_LITERAL(at, ", \"dur\": ");
    at = put_duration(trace, at, record, NAN);
    PUT_LITERAL(at, ", \"ph\": \"X\"");
    if (!trace->is_old)
        PUT_LITERAL(at, ", \"args\": {}");
    *at++ = '}';
    trace_out_done(out, at);
}
