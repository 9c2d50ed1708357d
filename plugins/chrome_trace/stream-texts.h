/* SPDX-License-Identifier: Apache-2.0 */
/* All that a stream hands out, as a text: for tests, which compare two. */
#ifndef STROBE_CHROME_TRACE_STREAM_TEXTS_H
#define STROBE_CHROME_TRACE_STREAM_TEXTS_H

#include "event-stream.h"

static inline void stream_put_slice(GString *out, const Slice *slice)
{
    g_string_append_printf(out, "|%u", slice->type);
    g_string_append_len(out, slice->text ? slice->text : "", (gssize)slice->length);
}

static inline void stream_put_args(GString *out, const EventArg *args, guint n)
{
    for (guint i = 0; i < n; i++) {
        stream_put_slice(out, &args[i].key);
        stream_put_slice(out, &args[i].value);
    }
}

static inline gboolean stream_put(void *user, const EventStream *stream, int result,
                                  const Event *event, const char *error)
{
    const Slice *const slices[] = {&event->phase, &event->name,     &event->category, &event->ts,
                                   &event->dur,   &event->id,       &event->pid,      &event->tid,
                                   &event->scope, &event->bind,     &event->frame,    &event->args,
                                   &event->stack, &event->end_frame};
    GString *out = user;

    g_string_append_printf(out, "\n%d %" G_GUINT64_FORMAT " %d", result, event->offset,
                           event_stream_is_object(stream));
    if (result == EVENT_DAMAGE) {
        g_string_append(out, error);
    } else if (result == EVENT_MEMBER) {
        stream_put_slice(out, &event->name);
        stream_put_slice(out, &event->args);
    } else {
        for (guint i = 0; i < G_N_ELEMENTS(slices); i++)
            stream_put_slice(out, slices[i]);
        stream_put_args(out, event->arg, event->n_args);
        if (result == EVENT_FRAME)
            stream_put_args(out, event->others, event->n_others);
    }
    return TRUE;
}

/* What the file's stream hands out: read by one, or by two where pieces have a size. */
static inline char *stream_text(int fd, guint64 offset, gsize piece_bytes)
{
    ByteSource *source = byte_source_new(fd);
    GString *out = g_string_new(NULL);

    if (piece_bytes)
        event_stream_read_by_two(source, offset, piece_bytes, stream_put, out);
    else
        event_stream_read(source, offset, stream_put, out);
    byte_source_free(source);
    for (gsize i = 0; i < out->len; i++) /* a NUL of the input would end it */
        out->str[i] = out->str[i] ? out->str[i] : '0';
    return g_string_free(out, FALSE);
}

#endif
