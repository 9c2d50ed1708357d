/* SPDX-License-Identifier: Apache-2.0 */
/* The framework's own task queue: what was put into it and what was taken out, with the arrows
 * between them. Held back, since both sides come after the operators, in an order of their own. */
#ifndef STROBE_CHROME_TRACE_QUEUE_H
#define STROBE_CHROME_TRACE_QUEUE_H

#include "flow-gate.h"
#include "trace-out.h"

typedef struct TraceQueue TraceQueue;

/* `gate` (may be NULL) is for its arrows, and stays the caller's. */
TraceQueue *trace_queue_new(int directory, FlowGate *gate);
void trace_queue_free(TraceQueue *queue);
gboolean trace_queue_has_events(const TraceQueue *queue);
int trace_queue_error(const TraceQueue *queue);
/* `is_old`: what was put in comes first. */
void trace_queue_append(TraceQueue *queue, gboolean is_old, TraceOut *out);

#endif
