/* SPDX-License-Identifier: Apache-2.0 */
/* Which program a command comes to: through scripts, and through launchers. */
#ifndef STROBE_TOOLS_RUN_INTERPRETER_H
#define STROBE_TOOLS_RUN_INTERPRETER_H

#include <glib.h>

#define STROBE_SCRIPTS_DEEP 4 /* scripts that are interpreters of scripts */

/* Is the program a Python by its name? "python3.13t" is, "python-server" is not. */
gboolean strobe_run_is_python(const char *program);

/* "#!interpreter [argument]": words of the command that really runs (g_strfreev); NULL if the
 * program is no script. */
char **strobe_run_script_words(const char *program, char *const *command);

/* Words of what a launcher (launchers.h) starts (g_strfreev): those from the first one on that is a
 * program. NULL: the command is no launcher, or starts nothing that can be told beforehand. */
char **strobe_run_launched_words(char *const *command, char *const *environment);

/* The Python that the command is run by: named as its program, by a launcher, or by the script's
 * first line (free it). NULL: that cannot be told beforehand. */
char *strobe_run_interpreter(char *const *command, char *const *environment);

#endif
