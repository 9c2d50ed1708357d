/* SPDX-License-Identifier: Apache-2.0 */
/* The framework's own task queue: what was put into it and what was taken out, with the arrows
 * between them. Held back, since both sides come after the operators, in an order of their own. */
#ifndef STROBE_CHROME_TRACE_QUEUE_H
#define STROBE_CHROME_TRACE_QUEUE_H

#include "trace-state.h"

TraceQueue *trace_queue_new(ChromeTrace *trace);
void trace_queue_free(TraceQueue *queue);
gboolean trace_queue_has_events(const TraceQueue *queue);
int trace_queue_error(const TraceQueue *queue);
/* No more comes: the first or the second side in the file. In older ones what was put in comes
 * first. */
TracePart *trace_queue_side(ChromeTrace *trace, gboolean is_second);

#endif
