/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out why nothing could be injected into a command. */
#ifndef STROBE_TOOLS_RUN_DIAGNOSIS_H
#define STROBE_TOOLS_RUN_DIAGNOSIS_H

#include <glib.h>

/* Returns a sentence such as "/bin/x is linked statically ...", NULL if the program itself is not
 * the reason (free it). `command` has the words of the command. */
char *strobe_run_obstacle(char *const *command, char *const *environment);

#endif
