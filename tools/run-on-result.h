/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the result directory of a run on a board. */
#ifndef STROBE_TOOLS_RUN_ON_RESULT_H
#define STROBE_TOOLS_RUN_ON_RESULT_H

#include "board-properties.h"
#include "collect-clock.h"
#include "config.h"

typedef struct StrobeRunOnSource {
    StrobeRemote *remote;
    const char *target;  /* the name by which the user called the board */
    const char *capture; /* path of the folder of the capture on the board */
    const StrobeBoardProperties *properties;
    const StrobeCollectClock *clocks; /* two comparisons of clocks: before and after the run */
} StrobeRunOnSource;

/* Fetches the capture into a new result directory in config->directory. The new directory appears
 * only when it is complete. Returns its path (free it). NULL with an error or, if the board has no
 * capture, without an error. */
char *strobe_run_on_result(const StrobeRunOnSource *source, StrobeConfig *config, GError **error);

#endif
