/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run --on TARGET`: runs the command on a board, with the collectors that work there. */
#ifndef STROBE_TOOLS_RUN_ON_H
#define STROBE_TOOLS_RUN_ON_H

#include "run-request.h"

/* Sends the program, runs it with its output as it comes, fetches the capture, and analyses it.
 * Returns the exit code: the program's own, unless something fails before it begins, the board
 * is lost or the user interrupts the run. If the program's is 0, the code of a later failure. */
int strobe_run_on(StrobeRunFlags *flags, StrobeConfig *config, StrobeRegistry *registry,
                  char **command);

#endif
