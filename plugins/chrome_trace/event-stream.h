/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events one after the other, as event_reader_next() finds them: read when they are asked for, or
 * ahead by a thread of their own, in batches of some hundred KB.
 */
#ifndef STROBE_CHROME_TRACE_EVENT_STREAM_H
#define STROBE_CHROME_TRACE_EVENT_STREAM_H

#include "event-reader.h"

typedef struct EventStream EventStream;

/* Does a thread that reads ahead find a processor, and enough to read? */
gboolean event_stream_is_worth_a_thread(ByteSource *source);
/* From the begin, or as event_reader_new from an offset on. */
EventStream *event_stream_new(ByteSource *source, gboolean has_thread, guint64 offset);
/* The thread ends, wherever it is. */
void event_stream_free(EventStream *stream);
/* As event_reader_next; what it gives is valid until the next call. */
int event_stream_next(EventStream *stream, const Event **event, const char **error);
/* Is the file an object? Asked behind the first event. */
gboolean event_stream_is_object(const EventStream *stream);
/* Bytes of the source that were read for what was handed out so far, as of a batch. */
guint64 event_stream_position(const EventStream *stream);

#endif
