/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows of a part of a result: one is drawn when both of its ends are in the part. A whole is
 * drawn as its source has it. */
#ifndef STROBE_CHROME_TRACE_FLOW_MATCHER_H
#define STROBE_CHROME_TRACE_FLOW_MATCHER_H

#include "trace-out.h"

typedef struct FlowMatcher FlowMatcher;

FlowMatcher *flow_matcher_new(void);
void flow_matcher_free(FlowMatcher *matcher); /* NULL is fine */

/* Where the next end is composed, with the separator in front. */
TraceOut *flow_matcher_event(FlowMatcher *matcher);
/* The end that was composed goes to `out`, which is held back, as soon as the other one has come.
 * Ends of one arrow have the same category and id, in `length` bytes. */
enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };
void flow_matcher_take(FlowMatcher *matcher, const char *category, const char *id, gsize length,
                       guint phase, TraceOut *out);

#endif
