/* SPDX-License-Identifier: Apache-2.0 */
/* The track of the session's own records, and those that say what of the result is missing. */
#ifndef STROBE_CORE_DIAGNOSTIC_H
#define STROBE_CORE_DIAGNOSTIC_H

#include <strobe/record.h>

/* The process track on which they lie; 0 outside a session. */
StrobeTrackId strobe_core_track(void);
void strobe_core_track_reset(void);

/* Records it for the component, in the window that records; without one nothing happens. */
void strobe_diagnostic_record(const char *component, const char *text);

#endif
