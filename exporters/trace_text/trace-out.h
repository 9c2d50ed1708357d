/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of events: a buffer in which events are composed, and its file.
 *
 * An event is composed through a cursor: trace_out_event returns one with TRACE_OUT_ROOM free
 * bytes, and every put function advances it. Texts and fields of any length use trace_out_text,
 * which keeps TRACE_OUT_ROOM bytes free for the fixed parts that follow. trace_out_done returns
 * the cursor.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_OUT_H
#define STROBE_CHROME_TRACE_TRACE_OUT_H

#include <glib.h>
#include <string.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>

#define TRACE_OUT_ROOM 1024

typedef struct TraceOut {
    StrobeSafeFile *file; /* NULL: in memory, which grows */
    int error;            /* errno of the first failure */
    gboolean has_events;
    gsize used;
    gsize size;
    char *bytes;
} TraceOut;

/* The output goes to `file`, owned from now on. NULL: it stays in memory, each event with the
 * separator in front, because other text precedes it in the file. */
void trace_out_init(TraceOut *out, StrobeSafeFile *file);
/* Discards the file if it still exists. */
void trace_out_clear(TraceOut *out);

#define PUT_LITERAL(at_, literal_)                                                                 \
    (memcpy((at_), "" literal_, sizeof(literal_) - 1), (at_) += sizeof(literal_) - 1)

/* Writes the buffer to the file. */
void trace_out_flush(TraceOut *out);
/* Empties the buffer, or makes it larger. */
void trace_out_make_room(TraceOut *out);
/* The slow path of trace_out_text: makes room, and writes long bytes directly. */
char *trace_out_text_slow(TraceOut *out, const char *bytes, gsize length);
/* A StrobeSink onto a TraceOut. */
int trace_out_sink(void *out, const char *bytes, size_t length);

/* Begins an event: writes the separator, but not the event's brace. */
static inline char *trace_out_event(TraceOut *out)
{
    char *at;

    if (G_UNLIKELY(out->used + TRACE_OUT_ROOM > out->size))
        trace_out_make_room(out);
    at = out->bytes + out->used;
    if (G_LIKELY(out->has_events || !out->file))
        PUT_LITERAL(at, ", ");
    out->has_events = TRUE;
    return at;
}

static inline void trace_out_done(TraceOut *out, char *at)
{
    out->used = (gsize)(at - out->bytes);
}

static inline char *trace_out_text(TraceOut *out, char *at, const char *bytes, gsize length)
{
    out->used = (gsize)(at - out->bytes);
    if (G_UNLIKELY(out->used + length + TRACE_OUT_ROOM > out->size))
        return trace_out_text_slow(out, bytes, length);
    memcpy(at, bytes, length);
    return at + length;
}

/* trace_out_padded is like trace_out_text for bytes with this padding: short ones are copied
 * without a call. */
#define TRACE_OUT_PADDING 64u

static inline char *trace_out_padded(TraceOut *out, char *at, const char *bytes, gsize length)
{
    out->used = (gsize)(at - out->bytes);
    if (G_UNLIKELY(out->used + length + TRACE_OUT_ROOM > out->size))
        return trace_out_text_slow(out, bytes, length);
    memcpy(at, bytes, TRACE_OUT_PADDING / 2);
    if (length > TRACE_OUT_PADDING / 2)
        memcpy(at + TRACE_OUT_PADDING / 2, bytes + TRACE_OUT_PADDING / 2, TRACE_OUT_PADDING / 2);
    if (G_UNLIKELY(length > TRACE_OUT_PADDING))
        memcpy(at + TRACE_OUT_PADDING, bytes + TRACE_OUT_PADDING, length - TRACE_OUT_PADDING);
    return at + length;
}

/* A copy of bytes with the padding that trace_out_padded needs. */
static inline char *trace_out_pad(const char *bytes, gsize length)
{
    char *copy = g_malloc(length + TRACE_OUT_PADDING);

    memcpy(copy, bytes, length);
    memset(copy + length, 0, TRACE_OUT_PADDING);
    return copy;
}

static inline char *put_uint(char *at, guint64 value)
{
    return at + strobe_format_digits(at, value);
}

static inline char *put_int(char *at, gint64 value)
{
    return value < 0 ? at + strobe_format_int(at, value) : put_uint(at, (guint64)value);
}

#endif
