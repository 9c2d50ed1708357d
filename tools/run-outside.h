/* SPDX-License-Identifier: Apache-2.0 */
/* Records a command from outside if nothing can be loaded into it. */
#ifndef STROBE_TOOLS_RUN_OUTSIDE_H
#define STROBE_TOOLS_RUN_OUTSIDE_H

#include <sys/types.h>

#include "config.h"
#include "registry.h"

typedef struct StrobeRunOutside StrobeRunOutside;

/* Prepares to record the command from outside, and prints the reason on stderr. `folder` is the
 * folder of the run. NULL: Strobe's library can be loaded into the command, the configuration has a
 * schedule, or no configured collector can sample the command from outside. */
StrobeRunOutside *strobe_run_outside_new(const StrobeConfig *config, StrobeRegistry *registry,
                                         const char *folder, char *const *command,
                                         char *const *environment);

/* The StrobeRunBegin that begins the recording. `outside` may be NULL. */
void strobe_run_outside_begin(void *outside, pid_t pid);

/* Ends the recording. Call this when the command has ended. `outside` may be NULL. */
void strobe_run_outside_end(StrobeRunOutside *outside);

#endif
