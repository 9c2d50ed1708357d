/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrows from calls to a device ("ac2g"). An arrow to a task is not kept: it follows from the
 * ids of call and task, and every exporter draws it from them. Other arrows are kept: Kineto
 * also draws arrows to waits for a device, which are not tasks.
 */
#ifndef STROBE_CHROME_TRACE_FLOW_EVENTS_H
#define STROBE_CHROME_TRACE_FLOW_EVENTS_H

#include "trace-rows.h"

void flow_events_free(FlowEvents *flow_events);
/* An s or f event. */
void flow_events_take(Import *import, Row *row, const Event *event, gint64 time);
/* A task of the connection, STROBE_ABSENT_U64 for none. */
void flow_events_note_task(Import *import, guint64 connection);
/* Those with two ends and no task. */
void flow_events_finish(Import *import);

#endif
