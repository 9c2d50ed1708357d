/* SPDX-License-Identifier: Apache-2.0 */
/* Makes flow events from calls to the tasks that they launch, if the source has none. */
#ifndef STROBE_CHROME_TRACE_LAUNCH_FLOWS_H
#define STROBE_CHROME_TRACE_LAUNCH_FLOWS_H

#include "device-kinds.h"

/* The kind under which ends of flow events wait in a part of the file; created at the first
 * call. */
const TraceKind *launches_kind(ChromeTrace *trace);
void launches_free(TraceLaunches *launches);
/* Processes a call, a task or a communication operation. */
void launches_take(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                   const StrobeView *record);
/* Call this after the last record: if no call of the node level came for a task's connection,
 * begins the flow event at another call. */
void launches_finish(ChromeTrace *trace);

#endif
