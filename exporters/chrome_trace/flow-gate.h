/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows of a part of a result: one is drawn when both of its ends are in the part. A whole is
 * drawn as its source has it. */
#ifndef STROBE_CHROME_TRACE_FLOW_GATE_H
#define STROBE_CHROME_TRACE_FLOW_GATE_H

#include "trace-out.h"

typedef struct FlowGate FlowGate;

FlowGate *flow_gate_new(void);
void flow_gate_free(FlowGate *gate); /* NULL is fine */

/* Where the next end is composed, with the separator in front. */
TraceOut *flow_gate_event(FlowGate *gate);
/* The end that was composed goes to `out`, which is held back, as soon as the other one has come.
 * Ends of one arrow have the same category and id, in `length` bytes. */
enum { FLOW_BEGIN, FLOW_STEP, FLOW_END };
void flow_gate_take(FlowGate *gate, const char *category, const char *id, gsize length, guint phase,
                    TraceOut *out);

#endif
