/* SPDX-License-Identifier: Apache-2.0 */
/* The process of the profiled program on a board. */
#ifndef STROBE_BOARD_CHILD_H
#define STROBE_BOARD_CHILD_H

#include <sys/types.h>

typedef struct BoardChild {
    pid_t pid;
    int gate;   /* a byte that is written here makes the process execute the program */
    int report; /* gets an errno value if the program cannot be executed, and is closed otherwise */
    int signals; /* descriptor (signalfd) for SIGCHLD and the signals that request the end */
} BoardChild;

/* Forks the process, which waits until board_child_release. `environment` is the environment of the
 * program. The caller must not have started a thread yet. Returns 0 or an errno value. */
int board_child_fork(BoardChild *child, char **command, char **environment);
/* Makes the process execute the program. Returns 0, or an errno value if this failed. */
int board_child_release(BoardChild *child);
/* Kills the process, which has not executed the program. */
void board_child_discard(const BoardChild *child);
/* Waits until the program has ended, for at most `timeout_ms` (-1: no limit), and returns whether
 * it has. Does not reap it, so that /proc still shows it. If a signal requests the end, which the
 * program has received too, kills the program after a second, so that there is time to complete the
 * capture. */
int board_child_wait(BoardChild *child, int timeout_ms);
/* Reaps the program, and ends this process as the program ended: raises the program's signal, or
 * returns the program's exit code, with which the caller must exit. */
int board_child_end_alike(const BoardChild *child);

#endif
