/* SPDX-License-Identifier: Apache-2.0 */
/* Flow events in a part of a result: one is written if both of its ends are in the part. A whole
 * result is written as in the source. */
#ifndef STROBE_CHROME_TRACE_CUT_FLOWS_H
#define STROBE_CHROME_TRACE_CUT_FLOWS_H

#include "trace-out.h"

typedef struct FlowMatcher FlowMatcher;

FlowMatcher *flow_matcher_new(void);
void flow_matcher_free(FlowMatcher *matcher); /* NULL is fine */

/* Buffer for the next end, with the separator in front. */
TraceOut *flow_matcher_event(FlowMatcher *matcher);
/* The composed end is written to `out`, which is held back, as soon as the other end has
 * arrived. The ends of a flow event have the same category and id, in `length` bytes. */
enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };
void flow_matcher_take(FlowMatcher *matcher, const char *category, const char *id, gsize length,
                       guint phase, TraceOut *out);

#endif
