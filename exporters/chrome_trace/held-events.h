/* SPDX-License-Identifier: Apache-2.0 */
/* Composes what a part of the file holds back, when the part has its turn. */
#ifndef STROBE_CHROME_TRACE_HELD_EVENTS_H
#define STROBE_CHROME_TRACE_HELD_EVENTS_H

#include "trace-state.h"

/* No more is added to the part. */
void held_events_write(ChromeTrace *trace, TraceHeld *held);
void held_events_write_sorted(ChromeTrace *trace, TraceSorter *sorter);

#endif
