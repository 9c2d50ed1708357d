/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run --on TARGET`: runs the command on a board, with the collectors that work there. */
#ifndef STROBE_TOOLS_RUN_ON_H
#define STROBE_TOOLS_RUN_ON_H

#include "run-request.h"

/* Sends the program, runs it with its output as it comes, fetches the capture, and analyses it.
 * Returns the exit code: the program's own, unless something fails before it begins or the board
 * is lost. */
int strobe_run_on(StrobeRunFlags *flags, StrobeConfig *config, StrobeRegistry *registry,
                  char **command);

#endif
