/* SPDX-License-Identifier: Apache-2.0 */
/* Writes flow events, which viewers draw as arrows between rows. */
#include <glib.h>
#include <strobe/helpers/fields.h>

#include "trace-state.h"

enum { LINK_SEQUENCE, LINK_TO_BEGIN, LINK_TO_TRACK }; /* indexes in TraceKind.known */
enum { KERNEL_TO_BEGIN, KERNEL_TO_TRACK };
enum { POINT_ID, POINT_IS_END };

void trace_flow_framework(TraceOut *out, const char *category, const char *name, gboolean is_end,
                          guint64 id, const TraceRow *row, gint64 time_ns)
{
    char *at = trace_out_event(out);

    PUT_LITERAL(at, "{\"ph\": \"");
    *at++ = is_end ? 'f' : 's';
    PUT_LITERAL(at, "\", \"bp\": \"e\", \"name\": \"");
    at = g_stpcpy(at, name);
    PUT_LITERAL(at, "\", \"id\": ");
    at = put_uint(at, id);
    PUT_LITERAL(at, ", ");
    at = put_place(at, row, time_ns);
    PUT_LITERAL(at, ", \"cat\": \"");
    at = g_stpcpy(at, category);
    PUT_LITERAL(at, "\"}");
    trace_out_done(out, at);
}

static const TraceRow *end_of(ChromeTrace *trace, const StrobeView *record, guint32 to_track)
{
    return trace_rows_of_track(trace->rows, strobe_field_u32(record, to_track, 0));
}

const TraceRow *prepare_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record)
{
    const TraceRow *from = trace_rows_of_track(trace->rows, record->track);
    const TraceRow *to = end_of(trace, record, kind->known[LINK_TO_TRACK]);

    return from == to ? NULL : from; /* the format has flow events only between different rows */
}

void compose_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                  const TraceRow *row)
{
    const TraceRow *to = end_of(trace, record, kind->known[LINK_TO_TRACK]);
    guint64 id = strobe_field_u64(record, kind->known[LINK_SEQUENCE], 0);

    trace_flow_framework(&trace->main, "fwdbwd", "fwdbwd", FALSE, id, row, record->begin_ns);
    trace_flow_framework(&trace->main, "fwdbwd", "fwdbwd", TRUE, id, to,
                         strobe_field_i64(record, kind->known[LINK_TO_BEGIN], record->begin_ns));
}

const TraceRow *prepare_kernel_link(ChromeTrace *trace, const TraceKind *kind,
                                    const StrobeView *record)
{
    const TraceRow *from = trace_rows_of_track(trace->rows, record->track);

    end_of(trace, record, kind->known[KERNEL_TO_TRACK]);
    return from;
}

void compose_kernel_link(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row)
{
    const TraceRow *to = end_of(trace, record, kind->known[KERNEL_TO_TRACK]);
    gint64 begin = strobe_field_i64(record, kind->known[KERNEL_TO_BEGIN], record->begin_ns);

    trace_flow_framework(&trace->main, "async_npu", "torch_to_npu", FALSE, (guint64)begin, row,
                         record->begin_ns);
    trace_flow_framework(&trace->main, "async_npu", "torch_to_npu", TRUE, (guint64)begin, to,
                         begin);
}

/* Writes a text without the quotes around it. */
static char *put_bare(TraceOut *out, char *at, const char *bytes, gsize length)
{
    return trace_out_text(out, at, bytes + 1, length - 2);
}

/* Writes the name of a flow event, which consists of the category and the id, for example
 * "HostToDevice17" or "MsTx_17". */
static char *put_flow_name(TraceOut *out, char *at, const CachedText *category,
                           const CachedText *id)
{
    PUT_LITERAL(at, "{\"name\": \"");
    at = put_bare(out, at, category->bytes, category->length);
    if (category->length == strlen("\"MsTx\"") && !memcmp(category->bytes, "\"MsTx\"", 6))
        *at++ = '_';
    at = put_bare(out, at, id->bytes, id->length);
    return PUT_LITERAL(at, "\", ");
}

static char *put_category(TraceOut *out, char *at, const CachedText *category)
{
    PUT_LITERAL(at, "\"cat\": ");
    at = trace_out_text(out, at, category->bytes, category->length);
    return PUT_LITERAL(at, ", ");
}

/* Writes one end of a flow event, with the keys in the order of the generation. `texts`: the
 * category and the id, both with quotes. */
static void put_device_flow(const ChromeTrace *trace, TraceOut *out, const CachedText texts[2],
                            gboolean is_end, const TraceRow *row, gint64 time_ns)
{
    gboolean is_old_end = trace->is_old && is_end;
    char *at = put_flow_name(out, trace_out_event(out), &texts[0], &texts[1]);

    if (!trace->is_old) {
        at = put_where(at, row);
        PUT_LITERAL(at, ", ");
    }
    PUT_LITERAL(at, "\"ph\": \"");
    *at++ = is_end ? 'f' : 's';
    PUT_LITERAL(at, "\", ");
    if (!is_old_end)
        at = put_category(out, at, &texts[0]);
    PUT_LITERAL(at, "\"id\": ");
    at = trace_out_text(out, at, texts[1].bytes, texts[1].length);
    PUT_LITERAL(at, ", ");
    if (trace->is_old && !is_end) {
        at = put_where(at, row);
        PUT_LITERAL(at, ", ");
    }
    PUT_LITERAL(at, "\"ts\": ");
    at = put_time(at, row, time_ns);
    if (is_old_end) {
        PUT_LITERAL(at, ", ");
        at = put_where(put_category(out, at, &texts[0]), row);
    }
    if (is_end)
        PUT_LITERAL(at, ", \"bp\": \"e\"");
    *at++ = '}';
    trace_out_done(out, at);
}

/* Copies the text to `room`, with quotes around it. */
static CachedText quote_text(char *room, const char *text)
{
    gsize length = strlen(text);

    room[0] = room[length + 1] = '"';
    memcpy(room + 1, text, length);
    return (CachedText){0, (guint32)length + 2, room};
}

void trace_flow_device(ChromeTrace *trace, TraceOut *out, const char *category, const char *id,
                       gboolean is_end, const TraceRow *row, gint64 time_ns)
{
    char name[TRACE_FLOW_TEXT + 2], number[TRACE_FLOW_TEXT + 2];
    const CachedText texts[2] = {quote_text(name, category), quote_text(number, id)};
    TraceOut *event = trace->matcher ? flow_matcher_event(trace->matcher) : out;

    put_device_flow(trace, event, texts, is_end, row, time_ns);
    if (trace->matcher)
        flow_matcher_take(trace->matcher, category, id, strlen(id), is_end ? FLOW_END : FLOW_BEGIN,
                          out);
}

/* Sets `texts` to the category and the id of the flow event. The caller frees the bytes of the
 * category. The bytes of the id are valid until the next call of the text cache. */
static void find_texts(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                       CachedText texts[2])
{
    texts[0] = *text_cache_get(trace->texts, TEXT_CACHE_PLAIN, record->name);
    texts[0].bytes = g_memdup2(texts[0].bytes, texts[0].length);
    texts[1] = *text_cache_get(trace->texts, TEXT_CACHE_PLAIN,
                               strobe_field_u32(record, kind->known[POINT_ID], 0));
}

static gboolean is_end_point(const TraceKind *kind, const StrobeView *record)
{
    return strobe_field_u8(record, kind->known[POINT_IS_END], 0) != 0;
}

static void pass_matcher(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                         const TraceRow *row)
{
    const gboolean is_end = is_end_point(kind, record);
    CachedText texts[2];

    find_texts(trace, kind, record, texts);
    g_autofree char *owned = texts[0].bytes;
    g_autofree char *of = g_strndup(texts[0].bytes, texts[0].length);
    put_device_flow(trace, flow_matcher_event(trace->matcher), texts, is_end, row,
                    record->begin_ns);
    flow_matcher_take(trace->matcher, of, texts[1].bytes, texts[1].length,
                      is_end ? FLOW_END : FLOW_BEGIN, trace_part_text(&trace->links));
}

const TraceRow *prepare_flow_point(ChromeTrace *trace, const TraceKind *kind,
                                   const StrobeView *record)
{
    const TraceRow *row = trace_rows_of_track(trace->rows, record->track);

    trace->has_flow_points = TRUE;
    if (!trace->matcher)
        return row;
    pass_matcher(trace, kind, record, row);
    return NULL;
}

void compose_flow_point(ChromeTrace *trace, const TraceKind *kind, const StrobeView *record,
                        const TraceRow *row)
{
    TraceOut *out = &trace->main;
    CachedText texts[2];

    find_texts(trace, kind, record, texts);
    g_autofree char *owned = texts[0].bytes;
    put_device_flow(trace, out, texts, is_end_point(kind, record), row, record->begin_ns);
}
