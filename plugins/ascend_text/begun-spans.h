/* SPDX-License-Identifier: Apache-2.0 */
/* Joins spans that a trace stores as a pair of events, B and E: stores the open spans of each
 * row. */
#ifndef STROBE_ASCEND_TEXT_BEGUN_SPANS_H
#define STROBE_ASCEND_TEXT_BEGUN_SPANS_H

#include "ascend-text-layers.h"

typedef struct BegunSpans BegunSpans;

BegunSpans *begun_spans_new(void);
void begun_spans_free(BegunSpans *spans);

/* Stores a copy of the event with which a span begins on the row at `begin`. Returns FALSE if there
 * is no room. */
gboolean begun_spans_begin(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 begin);
/* Ends the newest open span of the row at `end`. Returns the span as one event of phase X with the
 * arguments of both events; the result is valid until the next call. Returns NULL if no span is
 * open. */
const TraceEvent *begun_spans_end(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 end,
                                  gint64 *begin);
/* Removes a span that has not ended, and returns its begin event. Returns NULL if no span is
 * open. */
const TraceEvent *begun_spans_rest(BegunSpans *spans, Row **row, gint64 *begin);

#endif
