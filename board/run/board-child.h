/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the profiled program on a board. */
#ifndef STROBE_BOARD_CHILD_H
#define STROBE_BOARD_CHILD_H

#include <sys/types.h>

typedef struct BoardChild {
    pid_t pid;
    int gate;    /* closed: it becomes the program */
    int report;  /* closed by the exec; or an errno value comes */
    int signals; /* descriptor that tells of its end, and of signals to this process */
} BoardChild;

/* Makes the process, which waits. `environment` is for the program. Call it before any thread
 * starts. Returns 0 or an errno value. */
int board_child_fork(BoardChild *child, char **command, char **environment);
/* Lets it become the program. Returns 0 or the errno value of the exec. */
int board_child_release(BoardChild *child);
/* Ends the process, which has not become the program. */
void board_child_discard(const BoardChild *child);
/* Has it ended? Waits at most so long, -1: without limit. It is not reaped, so that /proc still
 * shows it. If this process is asked to end, the program, which was asked too, is killed after a
 * second, so that the capture can be completed. */
int board_child_wait(BoardChild *child, int timeout_ms);
/* Reaps it, and ends this process in the same way: returns the exit code, or raises the signal. */
int board_child_end_alike(const BoardChild *child);

#endif
