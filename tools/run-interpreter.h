/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program that a command finally runs, through scripts and launchers. */
#ifndef STROBE_TOOLS_RUN_INTERPRETER_H
#define STROBE_TOOLS_RUN_INTERPRETER_H

#include <glib.h>

#define STROBE_SCRIPTS_DEEP 4 /* maximum depth of scripts that are interpreters of scripts */

/* Whether the program's name is that of a Python interpreter: "python3.13t" is, "python-server" is
 * not. */
gboolean strobe_run_is_python(const char *program);

/* "#!interpreter [argument]": words of the command that really runs (g_strfreev); NULL if the
 * program is not a script. */
char **strobe_run_script_words(const char *program, char *const *command);

/* Words of the program that a launcher (launchers.h) starts (g_strfreev), from the first one on
 * that is a program. NULL: the command is not a launcher, or its program cannot be determined
 * beforehand. */
char **strobe_run_launched_words(char *const *command, char *const *environment);

/* The Python that runs the command: it is the program, a launcher starts it, or the script's
 * first line names it (free it). NULL: it cannot be determined beforehand. */
char *strobe_run_interpreter(char *const *command, char *const *environment);

#endif
