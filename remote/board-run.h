/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program on the board. Its output appears at once, byte for byte, on the standard output
 * and error output of this process. */
#ifndef STROBE_REMOTE_BOARD_RUN_H
#define STROBE_REMOTE_BOARD_RUN_H

#include "remote-session.h"

typedef struct StrobeBoardRun {
    const char *line;   /* a shell command that executes the program */
    gboolean has_input; /* the program reads this process's standard input */
    gint64 timeout_us;  /* maximum duration of the program; 0: no maximum */
    /* May be NULL. Called repeatedly while the program runs, and may wait for the board. FALSE with
     * an error ends the run. */
    gboolean (*meanwhile)(void *user, GError **error);
    void *user;
} StrobeBoardRun;

typedef struct StrobeBoardRunEnd {
    StrobeChannelEnd end;
    gboolean has_timed_out; /* the program was ended because the timeout was over */
} StrobeBoardRunEnd;

/* Runs the program, and returns when it has ended. The first signal to this process, or the
 * timeout, ends the program on the board. FALSE with an error, for example that the connection is
 * lost or a second signal has arrived. */
gboolean strobe_board_run(StrobeRemote *remote, const StrobeBoardRun *run, StrobeBoardRunEnd *end,
                          GError **error);

#endif
