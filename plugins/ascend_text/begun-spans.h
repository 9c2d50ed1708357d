/* SPDX-License-Identifier: Apache-2.0 */
/* Spans that a trace tells as a pair of events, B and E: those that have begun, by their row. */
#ifndef STROBE_ASCEND_TEXT_BEGUN_SPANS_H
#define STROBE_ASCEND_TEXT_BEGUN_SPANS_H

#include "ascend-text-layers.h"

typedef struct BegunSpans BegunSpans;

BegunSpans *begun_spans_new(void);
void begun_spans_free(BegunSpans *spans);

/* Keeps a copy of what begins on the row at `begin`. FALSE: there is no room. */
gboolean begun_spans_begin(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 begin);
/* What began last on the row as one event of phase X, with the arguments of both, until `end`;
 * valid until the next call. NULL: nothing has begun there. */
const TraceEvent *begun_spans_end(BegunSpans *spans, Row *row, const TraceEvent *event, gint64 end,
                                  gint64 *begin);
/* Any that has not ended, as it began; NULL: none is left. */
const TraceEvent *begun_spans_rest(BegunSpans *spans, Row **row, gint64 *begin);

#endif
