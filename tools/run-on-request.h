/* SPDX-License-Identifier: Apache-2.0 */
/* The checked request of `strobe run --on`. */
#ifndef STROBE_TOOLS_RUN_ON_REQUEST_H
#define STROBE_TOOLS_RUN_ON_REQUEST_H

#include "board-program.h"
#include "run-request.h"

typedef struct StrobeRunOnRequest {
    const StrobeRunFlags *flags;
    StrobeConfig *config;
    StrobeRegistry *registry;
    char **command;
    /* path of the program on this machine; NULL: the program is a command of the board */
    char *main;
    /* the folder of --project, or else the folder of the program; on the board the work folder
     * takes its place. NULL: neither is given */
    char *place;
    char *main_name; /* path of the program below `place`, and below the work folder */
    /* path of the project or the program, or the name of the command; the name of the work folder
     * is made from it */
    char *key;
    StrobeBoardProgram program;
    GPtrArray *files; /* of StrobeProjectFile */
} StrobeRunOnRequest;

/* Checks the members up to `command`, which the caller must set, and sets the others. FALSE with an
 * error. */
gboolean strobe_run_on_request_fill(StrobeRunOnRequest *request, GError **error);
void strobe_run_on_request_clear(StrobeRunOnRequest *request);

#endif
