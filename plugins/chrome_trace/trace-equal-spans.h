/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reverses the order of spans of a row that begin and end at the same times. In a trace the outer
 * span comes first; in a capture the inner span comes first, because it ends first. So spans of a
 * row wait until a span with other times comes, and are then emitted in reverse order.
 */
#ifndef STROBE_TRACE_IMPORT_EQUAL_SPANS_H
#define STROBE_TRACE_IMPORT_EQUAL_SPANS_H

#include "trace-rows.h"

/* Adds a span and returns its fields, like import_emit. The fields are valid only until the row's
 * next span. */
void *equal_spans_add(Import *import, Row *row, guint record_type, StrobeTrackId track,
                      StrobeStringId name, gint64 begin, gint64 end);
/* Emits the waiting spans of the row. Must be called before a span is emitted that encloses the
 * waiting spans. */
void equal_spans_flush(Import *import, Row *row);
/* Emits all waiting spans. */
void equal_spans_finish(Import *import);

#endif
