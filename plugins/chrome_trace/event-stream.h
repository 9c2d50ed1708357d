/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events one after the other, as event_reader_next() finds them: by the caller alone, or by it and
 * a thread side by side, each of which scans a piece of the text and hands out, in its turn, what
 * it has found.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_STREAM_H
#define STROBE_CHROME_TRACE_EVENT_STREAM_H

#include "event-reader.h"

typedef struct EventStream EventStream;

/* Told of each event, member, frame and damage, in the order of the text; from one thread or the
 * other, never from both at once. What it is given is valid during the call. FALSE: nothing more is
 * wanted. */
typedef gboolean (*EventTaker)(void *user, const EventStream *stream, int result,
                               const Event *event, const char *error);

/* Pieces of this size, so that text and events of one stay in a processor's own cache. */
#define PIECE_BYTES (256u << 10)

/* Does a thread find a processor, and enough to read? */
gboolean event_stream_is_worth_a_thread(ByteSource *source);
/* From the begin, or as event_reader_new from an offset on, until the end. */
void event_stream_read(ByteSource *source, guint64 offset, EventTaker take, void *user);
/* The same, side by side. Both read alike, whatever the size of the pieces. */
void event_stream_read_by_two(ByteSource *source, guint64 offset, gsize piece_bytes,
                              EventTaker take, void *user);

/* Is the file an object? */
gboolean event_stream_is_object(const EventStream *stream);
/* Bytes of the source that were read for what was handed out so far, as of a piece. */
guint64 event_stream_position(const EventStream *stream);

#endif
