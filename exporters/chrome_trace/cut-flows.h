/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the flow events of a part of a result: a flow event is written only if both of its ends are
 * in the part. Flow events of a whole result do not need this. */
#ifndef STROBE_CHROME_TRACE_CUT_FLOWS_H
#define STROBE_CHROME_TRACE_CUT_FLOWS_H

#include "trace-out.h"

typedef struct FlowMatcher FlowMatcher;

FlowMatcher *flow_matcher_new(void);
void flow_matcher_free(FlowMatcher *matcher); /* NULL is fine */

/* The buffer for composing the next end of a flow event, with the separator in front. */
TraceOut *flow_matcher_event(FlowMatcher *matcher);
/* Takes the end that was composed in the buffer, and writes both ends to `out`, a part of the file,
 * once the other end has come. Both ends of a flow event have the same category and id; `id` has
 * `length` bytes. */
enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };
void flow_matcher_take(FlowMatcher *matcher, const char *category, const char *id, gsize length,
                       guint phase, TraceOut *out);

#endif
