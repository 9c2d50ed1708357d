/* SPDX-License-Identifier: Apache-2.0 */
/* `strobe run` of scripts that decide themselves what is recorded: by profiles of their own,
 * written for another profiler (--as), by a file (PROF_CONFIG_PATH), or by the daemon dynolog
 * (MSMONITOR_USE_DAEMON=1). */
#ifndef STROBE_TOOLS_RUN_SCRIPTS_H
#define STROBE_TOOLS_RUN_SCRIPTS_H

#include "run-request.h"

/*
 * Strobe becomes the command. Its processes and their children have Strobe's package, which
 * STROBE_RUN_SCRIPTS=1 tells that no run records here, and
 *   STROBE_RUN_AS           the package whose name ours takes
 *   STROBE_RUN_PROF_CONFIG  the folder of profiler_config.json
 *   STROBE_RUN_DAEMON       1: the daemon is asked
 * PROF_CONFIG_PATH and MSMONITOR_USE_DAEMON themselves are taken away, or another profiler would
 * read them too.
 */

/* Is that what the flags or the environment ask for? Says on stderr where a variable has no effect.
 */
gboolean strobe_run_is_of_scripts(const StrobeRunFlags *flags, char *const *command);
/* Why the flags cannot go together; NULL: they can. Free it. */
char *strobe_run_scripts_obstacle(const StrobeRunFlags *flags);
/* Returns only where the command cannot be run: an exit code, after a message. */
int strobe_run_scripts(const StrobeRunFlags *flags, char **command);

#endif
