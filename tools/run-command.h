/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the profiled command: started, waited for, its end passed on. */
#ifndef STROBE_TOOLS_RUN_COMMAND_H
#define STROBE_TOOLS_RUN_COMMAND_H

#include <glib.h>
#include "run-writers.h"

/* How the command ended. */
typedef struct StrobeRunEnd {
    pid_t pid;
    int status;             /* of wait() */
    guint64 own_ticks;      /* processor time of its process, in ticks of _SC_CLK_TCK */
    guint64 children_ticks; /* of the descendants that were waited for */
} StrobeRunEnd;

/* The command's process is there, and has not become the command yet. */
typedef void StrobeRunBegin(void *user, pid_t pid);

/* The program that execvp would start for `name`, NULL if there is none (free it). */
char *strobe_run_program(const char *name, char *const *environment);

/* Before any child: where a caller left SIGCHLD ignored, their ends would be thrown away. Only the
 * profiled command gets it as the caller left it. */
void strobe_run_heed_children(void);

/* Runs it to its end in the foreground: TERM, HUP, USR1 and USR2 are passed on to it, INT and QUIT
 * are left to it alone. Starts the writers that its processes request. Calls
 * `begin`. Returns 0 and its
 * end; or, when it could not be started, STROBE_EXIT_NOT_FOUND or STROBE_EXIT_NOT_EXECUTABLE and
 * the error. */
int strobe_run_command(char **command, char **environment, const StrobeRunWriters *writers,
                       StrobeRunBegin *begin, void *user, StrobeRunEnd *end, GError **error);

/* Signals act on this process again as they did before strobe_run_command(). */
void strobe_run_restore_signals(void);

/* Ends this process as the command ended: returns its exit code or raises its signal. */
int strobe_run_end_alike(int status);

#endif
