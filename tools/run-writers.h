/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the writers (strobe-writer) of the processes of a command. Processes request them through
 * a FIFO in the folder of the run (core/base/run-link.h). */
#ifndef STROBE_TOOLS_RUN_WRITERS_H
#define STROBE_TOOLS_RUN_WRITERS_H

#include <glib.h>
#include <sys/types.h>

typedef struct StrobeRunWriters {
    /* poll this descriptor for input; -1: there is no FIFO, and each process starts its own
     * writer */
    int fifo;
    char *program, *folder;
    GHashTable *pools; /* process id of a writer -> path of its pool */
} StrobeRunWriters;

/* Prepares to start writers: makes the FIFO. */
void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder);
/* Starts the requested writers as children of this process. A writer ends when its program has
 * ended, so it may outlive this process. */
void strobe_run_writers_start(StrobeRunWriters *writers);
/* Call this when a child of this process was reaped. If the child is a writer that has failed, its
 * program is notified, and then starts a writer itself. */
void strobe_run_writers_reaped(StrobeRunWriters *writers, pid_t pid, int status);
/* Call this at the end: from now on no process gets a writer from here. */
void strobe_run_writers_end(StrobeRunWriters *writers);

#endif
