/* SPDX-License-Identifier: Apache-2.0 */
/* The writers (strobe-writer) that `strobe run` starts for the processes of its command, which
 * request them through a FIFO in the run's folder (core/base/run-link.h). */
#ifndef STROBE_TOOLS_RUN_WRITERS_H
#define STROBE_TOOLS_RUN_WRITERS_H

typedef struct StrobeRunWriters {
    int fifo; /* poll for input; -1: there is none, and each process starts its own writer */
    char *program;
} StrobeRunWriters;

/* Makes the FIFO. */
void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder);
/* Starts the writers that have been requested, as children of this process. They end when their
 * program has, and outlive this process if need be. */
void strobe_run_writers_start(const StrobeRunWriters *writers);
/* No process gets a writer from here on. */
void strobe_run_writers_end(StrobeRunWriters *writers);

#endif
