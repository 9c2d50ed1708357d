/* SPDX-License-Identifier: Apache-2.0 */
/* Records a command from outside if nothing can be loaded into it. */
#ifndef STROBE_TOOLS_RUN_OUTSIDE_H
#define STROBE_TOOLS_RUN_OUTSIDE_H

#include <sys/types.h>

#include "config.h"
#include "registry.h"

typedef struct StrobeRunOutside StrobeRunOutside;

/* NULL: something can be loaded into the command, or no collector shows from outside where its
 * time goes. Prints on stderr why it is recorded from outside. `folder` is the run's. */
StrobeRunOutside *strobe_run_outside_new(const StrobeConfig *config, StrobeRegistry *registry,
                                         const char *folder, char *const *command,
                                         char *const *environment);

/* A StrobeRunBegin; NULL is allowed. */
void strobe_run_outside_begin(void *outside, pid_t pid);

/* The command has ended. NULL is allowed. */
void strobe_run_outside_end(StrobeRunOutside *outside);

#endif
