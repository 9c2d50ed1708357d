/* SPDX-License-Identifier: Apache-2.0 */
/* Variables that collectors need in the environment of the command: those of StrobeVariable. */
#ifndef STROBE_TOOLS_RUN_VARIABLES_H
#define STROBE_TOOLS_RUN_VARIABLES_H

#include "config.h"
#include "registry.h"

/*
 * What is changed can be taken back: STROBE_RUN_VARIABLES names the variables, joined by ':';
 * STROBE_RUN_NEW_<name> has what was put in, STROBE_RUN_OLD_<name> what was there before, if
 * anything was.
 */

/* Adds the variables of the configured collectors; takes and returns an environment as of
 * g_environ_setenv. Says on stderr where a value that was there before keeps a collector out. */
char **strobe_run_variables_set(char **environment, const StrobeConfig *config,
                                StrobeRegistry *registry);

/* Forgets what a `strobe run` around this one has noted of its own doing. */
char **strobe_run_variables_forget(char **environment);

/* Puts `first` before what the list variable holds; keeps the old value as told above. */
char **strobe_run_variable_prepend(char **environment, const char *name, const char *first);

#endif
