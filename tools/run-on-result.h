/* SPDX-License-Identifier: Apache-2.0 */
/* The result directory of a run on a board. */
#ifndef STROBE_TOOLS_RUN_ON_RESULT_H
#define STROBE_TOOLS_RUN_ON_RESULT_H

#include "board-properties.h"
#include "collect-clock.h"
#include "config.h"

typedef struct StrobeRunOnSource {
    StrobeRemote *remote;
    const char *target;  /* as the user named the board */
    const char *capture; /* folder of the capture on the board */
    const StrobeBoardProperties *properties;
    const StrobeCollectClock *clocks; /* before and after the run */
} StrobeRunOnSource;

/* Fetches the capture into a new result directory below the configured one. The directory appears
 * as a whole. Returns its path (free it); NULL: there is no capture (no error), or the error. */
char *strobe_run_on_result(const StrobeRunOnSource *source, StrobeConfig *config, GError **error);

#endif
