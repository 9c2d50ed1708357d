/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the writers (strobe-writer) of the processes of a command. Processes request them through
 * a FIFO in the folder of the run (core/base/run-link.h). */
#ifndef STROBE_TOOLS_RUN_WRITERS_H
#define STROBE_TOOLS_RUN_WRITERS_H

#include <glib.h>
#include <sys/types.h>

typedef struct StrobeRunWriters {
    /* descriptor that the caller polls for input; -1: there is no FIFO, and each process starts its
     * own writer */
    int fifo;
    char *program, *folder;
    GHashTable *pools; /* process id of a writer -> path of its pool */
} StrobeRunWriters;

/* Makes the FIFO through which processes request writers. */
void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder);
/* Starts the requested writers as children of this process. A writer ends after its program, so it
 * may outlive this process. */
void strobe_run_writers_start(StrobeRunWriters *writers);
/* If the child `pid` is a writer that has failed, notifies its program, which then starts a writer
 * itself. Call this when a child of this process was reaped. */
void strobe_run_writers_reaped(StrobeRunWriters *writers, pid_t pid, int status);
/* Removes the FIFO, so that this process starts no more writers. Call this at the end. */
void strobe_run_writers_end(StrobeRunWriters *writers);

#endif
