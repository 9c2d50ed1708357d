/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program on the board. Its output appears at once, byte for byte, on the standard output
 * and error output of this process. */
#ifndef STROBE_REMOTE_BOARD_RUN_H
#define STROBE_REMOTE_BOARD_RUN_H

#include "remote-session.h"

typedef struct StrobeBoardRun {
    const char *line;   /* a shell command that executes the program */
    gboolean has_input; /* the program reads this process's standard input */
    gint64 timeout_us;  /* 0: none */
    /* Called repeatedly while the program runs; may wait for the board. FALSE: the error. May be
     * NULL. */
    gboolean (*meanwhile)(void *user, GError **error);
    void *user;
} StrobeBoardRun;

typedef struct StrobeBoardRunEnd {
    StrobeChannelEnd end;
    gboolean has_timed_out; /* the program was ended after the timeout */
} StrobeBoardRunEnd;

/* Returns when the program has ended. The first signal to this process, and the timeout, end the
 * program on the board. FALSE: the connection is lost, or a second signal arrived. */
gboolean strobe_board_run(StrobeRemote *remote, const StrobeBoardRun *run, StrobeBoardRunEnd *end,
                          GError **error);

#endif
