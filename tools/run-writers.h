/* SPDX-License-Identifier: Apache-2.0 */
/* The writers (strobe-writer) that `strobe run` starts for the processes of its command, which
 * request them through a FIFO in the run's folder (core/base/run-link.h). */
#ifndef STROBE_TOOLS_RUN_WRITERS_H
#define STROBE_TOOLS_RUN_WRITERS_H

typedef struct StrobeRunWriters {
    int fifo; /* poll for input; -1: none, and each process starts its own writer */
    char *program;
} StrobeRunWriters;

/* Makes the FIFO. */
void strobe_run_writers_begin(StrobeRunWriters *writers, const char *folder);
/* Starts the requested writers as children of this process. They end when their program has
 * ended, and may outlive this process. */
void strobe_run_writers_start(const StrobeRunWriters *writers);
/* From now on no process gets a writer. */
void strobe_run_writers_end(StrobeRunWriters *writers);

#endif
