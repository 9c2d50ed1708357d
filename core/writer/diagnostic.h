/* SPDX-License-Identifier: Apache-2.0 */
/* Strobe's own records in a window: their track, diagnostics about the result, and the duration of
 * calls of collectors. libc only. */
#ifndef STROBE_CORE_DIAGNOSTIC_H
#define STROBE_CORE_DIAGNOSTIC_H

#include <strobe/record.h>
#include <strobe/status.h>

/* Returns the process track on which the session's own records are; 0 outside a session. */
StrobeTrackId strobe_core_track(void);
void strobe_core_track_reset(void);

/* Records a diagnostic for the component in the recording window; does nothing if no window
 * records. */
void strobe_diagnostic_record(const char *component, const char *text);

/* Records a call of a collector. Returns 0 if no window records, or this thread cannot record;
 * otherwise 1. */
int strobe_collector_call_record(const char *component, const char *call, StrobeStatus status,
                                 StrobeTicks begin, StrobeTicks end);

#endif
