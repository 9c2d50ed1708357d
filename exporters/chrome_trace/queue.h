/* SPDX-License-Identifier: Apache-2.0 */
/* The framework's task queue: enqueues and dequeues, with the flow events between them. The events
 * are held back, because both sides follow the operators in the file, each in its own order. */
#ifndef STROBE_CHROME_TRACE_QUEUE_H
#define STROBE_CHROME_TRACE_QUEUE_H

#include "trace-state.h"

TraceQueue *trace_queue_new(ChromeTrace *trace);
void trace_queue_free(TraceQueue *queue);
gboolean trace_queue_has_events(const TraceQueue *queue);
int trace_queue_error(const TraceQueue *queue);
/* Call it when no more records follow. Returns the first or the second side in the file; in older
 * files the enqueues come first. */
TracePart *trace_queue_side(ChromeTrace *trace, gboolean is_second);

#endif
