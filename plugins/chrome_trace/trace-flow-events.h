/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Imports flow events from calls to a device ("ac2g"). Drops flow events to tasks, because every
 * exporter makes them from the ids of the call and the task. Keeps all others: Kineto also makes
 * flow events to waits for a device, which are not tasks.
 */
#ifndef STROBE_CHROME_TRACE_FLOW_EVENTS_H
#define STROBE_CHROME_TRACE_FLOW_EVENTS_H

#include "trace-rows.h"

void flow_events_free(FlowEvents *flow_events);
/* Processes an event of phase s or f. */
void flow_events_take(Import *import, Row *row, const Event *event, gint64 time);
/* Stores that the connection has a task. Does nothing for STROBE_ABSENT_U64. */
void flow_events_note_task(Import *import, guint64 connection);
/* Emits the remaining flow events that have both ends and whose connection has no task. */
void flow_events_finish(Import *import);

#endif
