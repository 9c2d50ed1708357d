/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the process of the profiled command: starts it, waits for it, and returns its exit code or
 * signal to the caller. */
#ifndef STROBE_TOOLS_RUN_COMMAND_H
#define STROBE_TOOLS_RUN_COMMAND_H

#include <glib.h>
#include "run-writers.h"

/* The end of the command. */
typedef struct StrobeRunEnd {
    pid_t pid;
    int status;             /* status of wait() */
    guint64 own_ticks;      /* processor time of the command's process, in ticks of _SC_CLK_TCK */
    guint64 children_ticks; /* processor time of its descendants that were reaped, in ticks */
} StrobeRunEnd;

/* A function that is called when the process of the command exists, but has not executed the
 * command yet. */
typedef void StrobeRunBegin(void *user, pid_t pid);

/* Returns the path of the program that execvp would start for `name` with PATH from `environment`
 * (free it). NULL: there is none. */
char *strobe_run_program(const char *name, char *const *environment);

/* Resets SIGCHLD to its default action, because exit codes of children are lost if it is ignored.
 * Call this before any child starts. The profiled command gets the original setting. */
void strobe_run_heed_children(void);

/* Runs the command in the foreground until it ends. Passes TERM, HUP, USR1 and USR2 on to the
 * command; INT and QUIT reach the command directly. Starts the writers that processes of the
 * command request. Calls `begin` with `user`. Returns 0 and fills `end`; or, if the command could
 * not be started, STROBE_EXIT_NOT_FOUND or STROBE_EXIT_NOT_EXECUTABLE with the error. */
int strobe_run_command(char **command, char **environment, StrobeRunWriters *writers,
                       StrobeRunBegin *begin, void *user, StrobeRunEnd *end, GError **error);

/* Restores the signal actions from before strobe_run_command(). */
void strobe_run_restore_signals(void);

/* Ends this process as the command ended, according to `status`: raises the command's signal, or
 * returns the command's exit code, with which the caller must exit. */
int strobe_run_end_alike(int status);

#endif
