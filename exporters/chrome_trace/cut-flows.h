/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the flow events of a part of a result: a flow event only if both of its ends are in the
 * part. A whole result does not need this. */
#ifndef STROBE_CHROME_TRACE_CUT_FLOWS_H
#define STROBE_CHROME_TRACE_CUT_FLOWS_H

#include "trace-out.h"

typedef struct FlowMatcher FlowMatcher;

FlowMatcher *flow_matcher_new(void);
void flow_matcher_free(FlowMatcher *matcher); /* `matcher` may be NULL */

/* Returns the buffer for composing the next end of a flow event; it begins with a separator. */
TraceOut *flow_matcher_event(FlowMatcher *matcher);
/* Takes the end of a flow event that was composed in the buffer. When the other end has come,
 * writes both ends to `out`, a part of the file. The two ends have the same category and `id`; `id`
 * has `length` bytes. */
enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };
void flow_matcher_take(FlowMatcher *matcher, const char *category, const char *id, gsize length,
                       guint phase, TraceOut *out);

#endif
