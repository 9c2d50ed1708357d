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
    char *main;      /* path of the program on this machine; NULL: it is a command of the board */
    char *place;     /* the folder that is sent, or the program's; its path on the board is that of
                      * the work folder */
    char *main_name; /* the program's path in the work folder */
    char *key;       /* what the work folder is for */
    StrobeBoardProgram program;
    GPtrArray *files; /* of StrobeProjectFile */
} StrobeRunOnRequest;

/* Checks the rest, which is set, and fills what follows `command`. FALSE with an error. */
gboolean strobe_run_on_request_fill(StrobeRunOnRequest *request, GError **error);
void strobe_run_on_request_clear(StrobeRunOnRequest *request);

#endif
