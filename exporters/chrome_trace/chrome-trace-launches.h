/* SPDX-License-Identifier: Apache-2.0 */
/* Arrows from calls to the tasks that they launch, where no source has drawn them. */
#ifndef STROBE_CHROME_TRACE_LAUNCHES_H
#define STROBE_CHROME_TRACE_LAUNCHES_H

#include "device-kinds.h"

/* The number of a kind that ends of arrows wait as; made once. */
const TraceKind *launches_kind(ChromeTrace *trace);
void launches_free(TraceLaunches *launches);
/* A call, a task or a communication operation. */
void launches_take(ChromeTrace *trace, const TraceEvents *events, const TraceRow *row,
                   const StrobeView *record);
/* All have been taken: begins arrows whose call of the node level has not come. */
void launches_finish(ChromeTrace *trace);

#endif
