/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow events from calls to a device ("ac2g"). A flow to a task is not kept, because every exporter
 * makes it from the ids of call and task. Other flows are kept: Kineto also makes flows to waits
 * for a device, which are not tasks.
 */
#ifndef STROBE_CHROME_TRACE_FLOW_EVENTS_H
#define STROBE_CHROME_TRACE_FLOW_EVENTS_H

#include "trace-rows.h"

void flow_events_free(FlowEvents *flow_events);
/* Takes an event of phase s or f. */
void flow_events_take(Import *import, Row *row, const Event *event, gint64 time);
/* Marks the connection as having a task; does nothing for STROBE_ABSENT_U64. */
void flow_events_note_task(Import *import, guint64 connection);
/* Emits the remaining flows that have two ends and no task. */
void flow_events_finish(Import *import);

#endif
