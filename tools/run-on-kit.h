/* SPDX-License-Identifier: Apache-2.0 */
/* What records on the board: strobe-board-run, the collectors' plugins, and its arguments. */
#ifndef STROBE_TOOLS_RUN_ON_KIT_H
#define STROBE_TOOLS_RUN_ON_KIT_H

#include "board-properties.h"
#include "run-on-request.h"

typedef struct StrobeRunOnKit {
    char *folder;   /* on the board */
    char *capture;  /* folder of the capture on the board; it goes with the session's lock */
    GString *words; /* strobe-board-run and its arguments, quoted for a shell */
} StrobeRunOnKit;

/* Finds the files for the board `name`, adds them to the request's, and removes from its
 * configuration default collectors that the kit lacks, after a message. `folder` is the work folder
 * on the board. FALSE with an error that names what is missing. */
gboolean strobe_run_on_kit_make(StrobeRunOnKit *kit, StrobeRunOnRequest *request,
                                const StrobeBoardProperties *properties, const char *name,
                                const char *folder, GError **error);
void strobe_run_on_kit_clear(StrobeRunOnKit *kit);

#endif
