/* SPDX-License-Identifier: Apache-2.0 */
/* Joins spans whose begin and end are separate events: B and E with the same thread; b and e, or S
 * and F, with the same id. */
#ifndef STROBE_CHROME_TRACE_OPEN_SPANS_H
#define STROBE_CHROME_TRACE_OPEN_SPANS_H

#include "trace-rows.h"

OpenSpans *open_spans_new(void);
void open_spans_free(OpenSpans *open);

/* Process an event: open_spans_begin one of phase B, b or S; open_spans_end one of phase E, e or
 * F. */
void open_spans_begin(Import *import, Row *row, const Event *event, gint64 time);
void open_spans_end(Import *import, Row *row, const Event *event, gint64 time);
/* Emits the spans that have not ended, with the end of the trace as their end. */
void open_spans_finish(Import *import);

#endif
