/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the files that record on the board (strobe-board-run and the plugins of the collectors),
 * and makes the command line of strobe-board-run. */
#ifndef STROBE_TOOLS_RUN_ON_KIT_H
#define STROBE_TOOLS_RUN_ON_KIT_H

#include "board-properties.h"
#include "run-on-request.h"

typedef struct StrobeRunOnKit {
    char *folder; /* path of the folder with these files on the board */
    /* path of the folder of the capture on the board; it is in the folder that is the session's
     * lock, and is removed with the lock */
    char *capture;
    GString *words; /* strobe-board-run and its arguments, quoted for a shell */
} StrobeRunOnKit;

/* Finds the files for the board `name`, and adds them to request->files. Removes default collectors
 * that the kit lacks from request->config, with a message. `folder` is the path of the work folder
 * on the board. FALSE with an error, for example that a file of the kit is missing. */
gboolean strobe_run_on_kit_make(StrobeRunOnKit *kit, StrobeRunOnRequest *request,
                                const StrobeBoardProperties *properties, const char *name,
                                const char *folder, GError **error);
void strobe_run_on_kit_clear(StrobeRunOnKit *kit);

#endif
