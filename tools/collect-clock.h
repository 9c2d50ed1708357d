/* SPDX-License-Identifier: Apache-2.0 */
/* Writes comparisons of a board's clock with this machine's clocks into the info.json of a JOB. */
#ifndef STROBE_TOOLS_COLLECT_CLOCK_H
#define STROBE_TOOLS_COLLECT_CLOCK_H

#include <json-glib/json-glib.h>

#include "clock-offset.h"

/* One comparison. */
typedef struct StrobeCollectClock {
    gint64 mono_ns, real_ns; /* this machine's clocks */
    StrobeClockOffset offset;
} StrobeCollectClock;

StrobeCollectClock strobe_collect_clock_now(const StrobeClockOffset *offset);

/* As an object: mono_ns of the board, desk_mono_ns, desk_real_ns, error_ns. */
JsonObject *strobe_collect_clock_json(const StrobeCollectClock *clock);

/* Adds the comparisons before and after the run to "sync". Does not change a file of another form.
 * FALSE with an error. */
gboolean strobe_collect_clock_write(const char *job, const StrobeCollectClock clocks[2],
                                    GError **error);

#endif
