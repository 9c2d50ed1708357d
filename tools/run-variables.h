/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the variables that collectors need in the environment of the command (StrobeVariable). */
#ifndef STROBE_TOOLS_RUN_VARIABLES_H
#define STROBE_TOOLS_RUN_VARIABLES_H

#include "config.h"
#include "registry.h"

/*
 * The changes can be undone: STROBE_RUN_VARIABLES names the variables, joined by ':';
 * STROBE_RUN_NEW_<name> has the new value, STROBE_RUN_OLD_<name> the previous one, if there was
 * one.
 */

/* Adds the variables of the configured collectors. Takes and returns an environment like
 * g_environ_setenv. Prints a message on stderr if an existing value prevents a collector from
 * working. */
char **strobe_run_variables_set(char **environment, const StrobeConfig *config,
                                StrobeRegistry *registry);

/* Removes the STROBE_RUN_* variables above, which an enclosing `strobe run` has set. */
char **strobe_run_variables_forget(char **environment);

/* Puts `first` at the start of the value of a variable that is a list, and keeps the old value in
 * STROBE_RUN_OLD_<name>. */
char **strobe_run_variable_prepend(char **environment, const char *name, const char *first);

#endif
