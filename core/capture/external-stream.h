/* SPDX-License-Identifier: Apache-2.0 */
/* The second walk over the external data of a window. Its records are in the order of their ends;
 * the reader merges them with the recorded records. */
#ifndef STROBE_CORE_EXTERNAL_STREAM_H
#define STROBE_CORE_EXTERNAL_STREAM_H

#include "index-pass.h"

typedef struct StrobeExternalStream StrobeExternalStream;

/* Makes a stream of the external data; NULL: there is no external data. `index_pass` and `beside`
 * must outlive the stream. */
StrobeExternalStream *strobe_external_stream_new(StrobeIndexPass *index_pass,
                                                 StrobeInlineStrings *beside);
void strobe_external_stream_free(StrobeExternalStream *stream);

/* Writes the next records that ended until `until_ns` (ns since the epoch), at most `max`, to
 * `views`, and returns their number. The views point into the stream's memory, which the next call
 * may reuse unless a reference was taken.
 */
gsize strobe_external_stream_next(StrobeExternalStream *stream, gint64 until_ns, StrobeView *views,
                                  gsize max);
StrobeBlockMemory *strobe_external_stream_memory(const StrobeExternalStream *stream);

/* Return the number of bytes that have been read, and the counts of the decoded records. */
guint64 strobe_external_stream_bytes(const StrobeExternalStream *stream);
const StrobeDecodedCounts *strobe_external_stream_counts(const StrobeExternalStream *stream);

#endif
