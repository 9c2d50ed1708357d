/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program on the board, with its output on the standard output and error output of this
 * process as it comes, each byte unchanged. */
#ifndef STROBE_REMOTE_BOARD_RUN_H
#define STROBE_REMOTE_BOARD_RUN_H

#include "remote-session.h"

typedef struct StrobeBoardRun {
    const char *line;   /* for the shell: what becomes the program */
    gboolean has_input; /* this process's standard input is the program's */
    gint64 timeout_us;  /* 0: none */
    /* Called often while it runs, and may wait for the board. FALSE: the error. NULL: nothing. */
    gboolean (*meanwhile)(void *user, GError **error);
    void *user;
} StrobeBoardRun;

typedef struct StrobeBoardRunEnd {
    StrobeChannelEnd end;
    gboolean has_timed_out; /* it was ended after the timeout */
} StrobeBoardRunEnd;

/* Returns when it has ended. The first signal, and the timeout, end it on the board. FALSE: the
 * connection is lost, or a second signal came. */
gboolean strobe_board_run(StrobeRemote *remote, const StrobeBoardRun *run, StrobeBoardRunEnd *end,
                          GError **error);

#endif
