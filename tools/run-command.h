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
    guint64 own_ticks;      /* processor time of its process, in ticks of _SC_CLK_TCK */
    guint64 children_ticks; /* processor time of the descendants that were reaped */
} StrobeRunEnd;

/* Called when the process of the command exists, but has not executed the command yet. */
typedef void StrobeRunBegin(void *user, pid_t pid);

/* Returns the path of the program that execvp would start for `name`, NULL if there is none (free
 * it). */
char *strobe_run_program(const char *name, char *const *environment);

/* Resets SIGCHLD: if a caller left it ignored, exit codes of children would be lost. Call this
 * before any child starts. The profiled command gets the caller's setting. */
void strobe_run_heed_children(void);

/* Runs the command in the foreground until it ends. Passes TERM, HUP, USR1 and USR2 on to it; INT
 * and QUIT reach it directly. Starts the writers that its processes request. Calls `begin`. Returns
 * 0 and fills `end`; or, if the command could not be started, STROBE_EXIT_NOT_FOUND or
 * STROBE_EXIT_NOT_EXECUTABLE with the error. */
int strobe_run_command(char **command, char **environment, StrobeRunWriters *writers,
                       StrobeRunBegin *begin, void *user, StrobeRunEnd *end, GError **error);

/* Restores the signal actions from before strobe_run_command(). */
void strobe_run_restore_signals(void);

/* Ends this process in the same way as the command: returns its exit code or raises its signal. */
int strobe_run_end_alike(int status);

#endif
