/* SPDX-License-Identifier: Apache-2.0 */
/* The track of the session's own records, and diagnostics about the result. */
#ifndef STROBE_CORE_DIAGNOSTIC_H
#define STROBE_CORE_DIAGNOSTIC_H

#include <strobe/record.h>

/* The process track on which the session's own records are; 0 outside a session. */
StrobeTrackId strobe_core_track(void);
void strobe_core_track_reset(void);

/* Records a diagnostic for the component in the recording window; does nothing if no window
 * records. */
void strobe_diagnostic_record(const char *component, const char *text);

#endif
