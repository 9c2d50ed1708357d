/* SPDX-License-Identifier: Apache-2.0 */
/* The second walk over what others recorded in the window: it is in order of its records' ends, and
 * handed out no earlier and little later than what was recorded beside it. */
#ifndef STROBE_CORE_EXTERNAL_STREAM_H
#define STROBE_CORE_EXTERNAL_STREAM_H

#include "index-pass.h"

typedef struct StrobeExternalStream StrobeExternalStream;

/* NULL: there is nothing of others. The index pass and `beside` must outlive it. */
StrobeExternalStream *strobe_external_stream_new(StrobeIndexPass *index_pass,
                                                 StrobeInlineStrings *beside);
void strobe_external_stream_free(StrobeExternalStream *stream);

/* Next records that ended until then (ns since the epoch), at most `max`; 0: none. The views
 * point into the stream's memory, which the next call may use again unless it was referred to. */
gsize strobe_external_stream_next(StrobeExternalStream *stream, gint64 until_ns, StrobeView *views,
                                  gsize max);
StrobeBlockMemory *strobe_external_stream_memory(const StrobeExternalStream *stream);

/* Bytes that have been read; the counts of its records. */
guint64 strobe_external_stream_bytes(const StrobeExternalStream *stream);
const StrobeDecodedCounts *strobe_external_stream_counts(const StrobeExternalStream *stream);

#endif
