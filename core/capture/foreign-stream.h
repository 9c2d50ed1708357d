/* SPDX-License-Identifier: Apache-2.0 */
/* The second walk over what others recorded in the window: it is in order of its records' ends, and
 * handed out no earlier and little later than what was recorded beside it. */
#ifndef STROBE_CORE_FOREIGN_STREAM_H
#define STROBE_CORE_FOREIGN_STREAM_H

#include "reader-survey.h"

typedef struct StrobeForeignStream StrobeForeignStream;

/* NULL: there is nothing of others. The survey and `beside` must outlive it. */
StrobeForeignStream *strobe_foreign_stream_new(StrobeSurvey *survey, StrobeBesideStrings *beside);
void strobe_foreign_stream_free(StrobeForeignStream *stream);

/* Next records that ended until then (ns since the epoch), at most `max`; 0: none. The views
 * point into the stream's memory, which the next call may use again unless it was referred to. */
gsize strobe_foreign_stream_next(StrobeForeignStream *stream, gint64 until_ns, StrobeView *views,
                                 gsize max);
StrobeBlockMemory *strobe_foreign_stream_memory(const StrobeForeignStream *stream);

/* Bytes that have been read; the counts of its records. */
guint64 strobe_foreign_stream_bytes(const StrobeForeignStream *stream);
const StrobeDecodedCounts *strobe_foreign_stream_counts(const StrobeForeignStream *stream);

#endif
