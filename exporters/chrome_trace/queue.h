/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the events of the framework's task queue: the enqueues, the dequeues, and the flow events
 * between them. All these events wait until the operators are written: in the file the operators
 * come first, then one side of the queue, then the other side. */
#ifndef STROBE_CHROME_TRACE_QUEUE_H
#define STROBE_CHROME_TRACE_QUEUE_H

#include "trace-state.h"

TraceQueue *trace_queue_new(ChromeTrace *trace);
void trace_queue_free(TraceQueue *queue);
gboolean trace_queue_has_events(const TraceQueue *queue);
int trace_queue_error(const TraceQueue *queue);
/* Returns the side of the queue that comes first in the file; with `is_second`, the side that comes
 * second. Older files have the enqueues first. Must be called after the last record. */
TracePart *trace_queue_side(ChromeTrace *trace, gboolean is_second);

#endif
