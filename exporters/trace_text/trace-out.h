/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes events: a buffer in which events are composed, and the file. An event is composed with a
 * cursor: trace_out_event returns the cursor with TRACE_OUT_ROOM free bytes after it, and every put
 * function moves it. trace_out_text writes texts of any length, and ensures TRACE_OUT_ROOM free
 * bytes for what follows. trace_out_done takes the cursor at the end of the event.
 */
#ifndef STROBE_CHROME_TRACE_TRACE_OUT_H
#define STROBE_CHROME_TRACE_TRACE_OUT_H

#include <glib.h>
#include <string.h>
#include <strobe/helpers/number.h>
#include <strobe/helpers/safe-file.h>

#define TRACE_OUT_ROOM 1024

typedef struct TraceOut {
    StrobeSafeFile *file; /* NULL: the output stays in memory */
    int error;            /* errno of the first failure */
    gboolean has_events;
    gsize used;
    gsize size;
    char *bytes;
} TraceOut;

/* `file` gets the output; it belongs to `out` from now on. NULL: the output stays in memory, and
 * every event begins with a separator, because other text precedes the output in the file. */
void trace_out_init(TraceOut *out, StrobeSafeFile *file);
/* Frees the buffer. Removes the file if it was not finished. */
void trace_out_clear(TraceOut *out);

#define PUT_LITERAL(at_, literal_)                                                                 \
    (memcpy((at_), "" literal_, sizeof(literal_) - 1), (at_) += sizeof(literal_) - 1)

/* Writes the buffer to the file. */
void trace_out_flush(TraceOut *out);
/* Writes the buffer to the file or, without a file, makes it larger. */
void trace_out_make_room(TraceOut *out);
/* Is called by trace_out_text if the buffer has no room: makes room in the buffer, or writes many
 * bytes directly to the file. */
char *trace_out_text_slow(TraceOut *out, const char *bytes, gsize length);
/* A StrobeSink that writes to a TraceOut. */
int trace_out_sink(void *out, const char *bytes, size_t length);

/* Begins an event: writes the separator, but not the event's brace. Returns the cursor. */
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

/* Writes a text like trace_out_text, but copies few bytes without a function call. The caller must
 * ensure that TRACE_OUT_PADDING bytes after the text are readable. */
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

/* Returns a copy of the bytes with the padding that trace_out_padded needs. */
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
