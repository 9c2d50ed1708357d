/* SPDX-License-Identifier: Apache-2.0 */
/* The framework's task queue: enqueues and dequeues, with the flow events between them. Held
 * back, because both sides follow the operators in the file, in their own order. */
#ifndef STROBE_CHROME_TRACE_QUEUE_H
#define STROBE_CHROME_TRACE_QUEUE_H

#include "trace-state.h"

TraceQueue *trace_queue_new(ChromeTrace *trace);
void trace_queue_free(TraceQueue *queue);
gboolean trace_queue_has_events(const TraceQueue *queue);
int trace_queue_error(const TraceQueue *queue);
/* No more records follow: the first or the second side in the file. In older files the enqueues
 * come first. */
TracePart *trace_queue_side(ChromeTrace *trace, gboolean is_second);

#endif
