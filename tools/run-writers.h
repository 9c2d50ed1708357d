/* SPDX-License-Identifier: Apache-2.0 */
/* The writers (strobe-writer) that `strobe run` starts for the processes of its command, which
 * request them through a FIFO in the run's folder (core/base/run-link.h). */
#ifndef STROBE_TOOLS_RUN_WRITERS_H
#define STROBE_TOOLS_RUN_WRITERS_H

#include <glib.h>
#include <sys/types.h>

typedef struct StrobeRunWriters {
    int fifo; /* poll it for input; -1: there is none, and each process starts its own writer */
    char *program, *folder;
    GHashTable *pools; /* path of the pool by the process number of its writer */
} StrobeRunWriters;

/* Makes the FIFO. */
void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder);
/* Starts the requested writers as children of this process. They end when their program has
 * ended, and may outlive this process. */
void strobe_run_writers_start(StrobeRunWriters *writers);
/* A child of this process has been reaped. If it is a writer that has failed, its program is
 * informed, which then starts one itself. */
void strobe_run_writers_reaped(StrobeRunWriters *writers, pid_t pid, int status);
/* From now on no process gets a writer. */
void strobe_run_writers_end(StrobeRunWriters *writers);

#endif
