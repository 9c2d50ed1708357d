/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Spans of a row that begin and end at the same times. In a trace the outer one stands first, in a
 * capture the inner one, which ends first. So the last span of a row waits for the next one that
 * has other times.
 */
#ifndef STROBE_TRACE_IMPORT_EQUAL_SPANS_H
#define STROBE_TRACE_IMPORT_EQUAL_SPANS_H

#include "trace-rows.h"

/* Fields of a span, as import_emit, but only until the row's next one. */
void *equal_spans_add(Import *import, Row *row, guint record_type, StrobeTrackId track,
                      StrobeStringId name, gint64 begin, gint64 end);
/* Those of the row that wait, before a span that is known to enclose them. */
void equal_spans_flush(Import *import, Row *row);
/* All that wait. */
void equal_spans_finish(Import *import);

#endif
