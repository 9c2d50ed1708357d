/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe svp collect`: sends a program to a board, runs it there under a profiler, and fetches the
 * recorded data. */
#ifndef STROBE_TOOLS_COLLECT_H
#define STROBE_TOOLS_COLLECT_H

#include "collect-request.h"

/* Runs all steps and prints the paths of the JOBs. Returns an exit code; prints a message on
 * failure. */
int strobe_collect(const StrobeCollectRequest *request);
/* Prints the steps, and does not connect. In collect-describe.c. */
int strobe_collect_describe(const StrobeCollectRequest *request);

#endif
