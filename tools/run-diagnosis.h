/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out why nothing could be injected into a command. */
#ifndef STROBE_TOOLS_RUN_DIAGNOSIS_H
#define STROBE_TOOLS_RUN_DIAGNOSIS_H

#include <glib.h>

/* Returns a text with the reason, for example "/bin/x is linked statically ..." (free it). NULL:
 * neither the program nor the way in which the command starts it is the reason. `command` has the
 * words of the command. */
char *strobe_run_obstacle(char *const *command, char *const *environment);

#endif
