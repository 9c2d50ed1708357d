/* SPDX-License-Identifier: Apache-2.0 */
/* A file read from beginning to end through a window. It is not mapped: a file that shrinks
 * meanwhile ends earlier. */
#ifndef STROBE_ASCEND_RAW_BYTE_STREAM_H
#define STROBE_ASCEND_RAW_BYTE_STREAM_H

#include <glib.h>

/* Bytes behind what is peeked that can be read, whatever they are. */
#define BYTE_STREAM_MARGIN 64u

typedef struct ByteStream {
    int fd;       /* lent */
    guint64 size; /* of the file */
    guint64 base; /* place in the file of the window's first byte */
    guchar *window;
    gsize room, used, at;
    int error; /* errno of a read that failed, 0: none */
} ByteStream;

void byte_stream_init(ByteStream *stream, int fd);
void byte_stream_clear(ByteStream *stream);
void byte_stream_rewind(ByteStream *stream);

/* For byte_stream_peek: fills the window. */
gboolean byte_stream_fill(ByteStream *stream, gsize n);

/* The next `n` bytes in one piece, NULL if there are fewer. */
static inline const guchar *byte_stream_peek(ByteStream *stream, gsize n)
{
    if (stream->used - stream->at < n && !byte_stream_fill(stream, n))
        return NULL;
    return stream->window + stream->at;
}

/* At most what was peeked. */
static inline void byte_stream_skip(ByteStream *stream, gsize n)
{
    stream->at += n;
}

/* Any number of bytes. */
void byte_stream_skip_far(ByteStream *stream, guint64 n);

static inline guint64 byte_stream_place(const ByteStream *stream)
{
    return stream->base + stream->at;
}

static inline guint64 byte_stream_left(const ByteStream *stream)
{
    return stream->size - byte_stream_place(stream);
}

#endif
