/* SPDX-License-Identifier: Apache-2.0 */
/* Makes flow events from calls to the tasks that they launch, if the source has no such flow
 * events. */
#ifndef STROBE_CHROME_TRACE_LAUNCH_FLOWS_H
#define STROBE_CHROME_TRACE_LAUNCH_FLOWS_H

#include "device-kinds.h"

/* Returns the kind under which ends of flow events wait in a part of the file. The first call makes
 * the kind. */
const TraceKind *launches_kind(ChromeTrace *trace);
void launches_free(TraceLaunches *launches);
/* Processes a call, a task or a communication operation. */
void launches_take(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                   const StrobeView *record);
/* For each task whose connection has no call of the node level, begins the flow event at another
 * call. Must be called after the last record. */
void launches_finish(ChromeTrace *trace);

#endif
