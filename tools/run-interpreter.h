/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the program that a command runs in the end, through scripts and launchers. */
#ifndef STROBE_TOOLS_RUN_INTERPRETER_H
#define STROBE_TOOLS_RUN_INTERPRETER_H

#include <glib.h>

/* maximum number of scripts in a chain in which each is the interpreter of the next */
#define STROBE_SCRIPTS_DEEP 4

/* Whether the program's name is that of a Python interpreter: "python3.13t" is, "python-server" is
 * not. */
gboolean strobe_run_is_python(const char *program);

/* Returns the words of the command that the kernel runs for a script, according to its line
 * "#!interpreter [argument]" (g_strfreev). NULL: `program` is not a script. */
char **strobe_run_script_words(const char *program, char *const *command);

/* Returns the words of the program that a launcher (launchers.h) starts, from the program's own
 * name on (g_strfreev). NULL: the command is not a launcher, or its program cannot be determined
 * before it runs. */
char **strobe_run_launched_words(char *const *command, char *const *environment);

/* Returns the Python interpreter of the command: the program itself, the program that a launcher
 * starts, or the interpreter in the first line of the script (free it). NULL: it cannot be
 * determined before the command runs. */
char *strobe_run_interpreter(char *const *command, char *const *environment);

#endif
