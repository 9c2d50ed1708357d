/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file from begin to end through a window. The file is not mapped: if it shrinks while it
 * is read, the stream ends earlier. */
#ifndef STROBE_ASCEND_RAW_BYTE_STREAM_H
#define STROBE_ASCEND_RAW_BYTE_STREAM_H

#include <glib.h>

/* Number of readable bytes after the peeked bytes; their contents are undefined. */
#define BYTE_STREAM_MARGIN 64u

typedef struct ByteStream {
    int fd;       /* the caller closes it */
    guint64 size; /* size of the file */
    guint64 base; /* offset in the file of the window's first byte */
    guchar *window;
    gsize room, used, at;
    int error; /* errno of a failed read; 0: no read failed */
} ByteStream;

void byte_stream_init(ByteStream *stream, int fd);
void byte_stream_clear(ByteStream *stream);
void byte_stream_rewind(ByteStream *stream);

/* Makes the next `n` bytes available. Only byte_stream_peek calls this function. */
gboolean byte_stream_fill(ByteStream *stream, gsize n);

/* Returns the next `n` bytes; NULL if there are fewer. */
static inline const guchar *byte_stream_peek(ByteStream *stream, gsize n)
{
    if (stream->used - stream->at < n && !byte_stream_fill(stream, n))
        return NULL;
    return stream->window + stream->at;
}

/* Skips `n` bytes, which the caller must have peeked. */
static inline void byte_stream_skip(ByteStream *stream, gsize n)
{
    stream->at += n;
}

/* Skips any number of bytes, even if they are not in the window. */
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
