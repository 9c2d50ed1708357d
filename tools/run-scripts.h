/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run` of scripts in which only profiles record: profiles in the script that were written
 * for another profiler (--as), or profiles that a file (PROF_CONFIG_PATH) or the daemon dynolog
 * (MSMONITOR_USE_DAEMON=1) requests. */
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

/* Whether the flags or the environment request such a run. Prints a message if a variable has no
 * effect. */
gboolean strobe_run_is_of_scripts(const StrobeRunFlags *flags, char *const *command);
/* The reason why the flags cannot be combined; NULL: they can. Free it. */
char *strobe_run_scripts_obstacle(const StrobeRunFlags *flags);
/* Executes the command. Returns only if that fails: an exit code, after a message. */
int strobe_run_scripts(const StrobeRunFlags *flags, char **command);

#endif
