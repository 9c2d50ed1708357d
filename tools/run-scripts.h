/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a script with `strobe run` without recording the run. Only profiles are recorded: those in
 * the script that are written for another profiler (--as), or those that a file (PROF_CONFIG_PATH)
 * or the daemon dynolog (MSMONITOR_USE_DAEMON=1) requests. */
#ifndef STROBE_TOOLS_RUN_SCRIPTS_H
#define STROBE_TOOLS_RUN_SCRIPTS_H

#include "run-request.h"

/*
 * `strobe run` executes the command in its own process. The environment gives the command and its
 * children Strobe's package, and these variables for the package:
 *   STROBE_RUN_SCRIPTS      1: the run does not record
 *   STROBE_RUN_AS           the package whose names Strobe's package provides
 *   STROBE_RUN_PROF_CONFIG  the folder of profiler_config.json
 *   STROBE_RUN_DAEMON       1: requests come from the daemon
 * PROF_CONFIG_PATH and MSMONITOR_USE_DAEMON themselves are removed, because another profiler would
 * read them too.
 */

/* Whether the flags or the environment request that only profiles are recorded. Prints a message if
 * a variable has no effect. */
gboolean strobe_run_is_of_scripts(const StrobeRunFlags *flags, char *const *command);
/* Returns the reason for which the flags cannot be combined (free it). NULL: they can be
 * combined. */
char *strobe_run_scripts_obstacle(const StrobeRunFlags *flags);
/* Executes the command. If that fails, prints a message and returns an exit code; otherwise it does
 * not return. */
int strobe_run_scripts(const StrobeRunFlags *flags, char **command);

#endif
