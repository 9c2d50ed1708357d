/* SPDX-License-Identifier: Apache-2.0 */
/* Flow events from calls to the tasks that they launch, if the source has none. */
#ifndef STROBE_CHROME_TRACE_LAUNCH_FLOWS_H
#define STROBE_CHROME_TRACE_LAUNCH_FLOWS_H

#include "device-kinds.h"

/* The number of the kind for waiting ends of flow events; made once. */
const TraceKind *launches_kind(ChromeTrace *trace);
void launches_free(TraceLaunches *launches);
/* Takes a call, a task or a communication operation. */
void launches_take(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                   const StrobeView *record);
/* Call it when all have been taken: begins flow events whose call of the node level has not
 * arrived. */
void launches_finish(ChromeTrace *trace);

#endif
