/* SPDX-License-Identifier: Apache-2.0 */
/* Writes comparisons of a board's clock with this machine's clocks into the info.json of a JOB. */
#ifndef STROBE_TOOLS_COLLECT_CLOCK_H
#define STROBE_TOOLS_COLLECT_CLOCK_H

#include <json-glib/json-glib.h>

#include "clock-offset.h"

/* A comparison of the board's clock with this machine's clocks. */
typedef struct StrobeCollectClock {
    gint64 mono_ns, real_ns; /* this machine's clocks */
    StrobeClockOffset offset;
} StrobeCollectClock;

StrobeCollectClock strobe_collect_clock_now(const StrobeClockOffset *offset);

/* Returns the comparison as an object with mono_ns (the board's clock), desk_mono_ns, desk_real_ns
 * (this machine's clocks) and error_ns. */
JsonObject *strobe_collect_clock_json(const StrobeCollectClock *clock);

/* Adds the comparisons before and after the run to the array "sync" in the info.json of the JOB at
 * the path `job`. Does not change a file that is not an info.json of this form. FALSE with an
 * error. */
gboolean strobe_collect_clock_write(const char *job, const StrobeCollectClock clocks[2],
                                    GError **error);

#endif
