/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run --on TARGET`: runs the command on a board, with the collectors that work there. */
#ifndef STROBE_TOOLS_RUN_ON_H
#define STROBE_TOOLS_RUN_ON_H

#include "run-request.h"

/* Sends the program to the board, runs it there and passes its output on at once, fetches the
 * capture and analyses it. Returns the exit code of the program. Returns another code if a step
 * before the program fails, the connection is lost, the user interrupts the run, or the program
 * succeeds and a later step fails. */
int strobe_run_on(StrobeRunFlags *flags, StrobeConfig *config, StrobeRegistry *registry,
                  char **command);

#endif
