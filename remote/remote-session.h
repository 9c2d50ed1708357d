/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a board: the connection, a locked folder on the board, and a guard there.
 *
 * The guard is a command on the board that runs as long as the session. It holds the folder's lock
 * and answers heartbeats with the time of the board's clock. When the connection ends, for any
 * reason, it ends the program and removes the lock.
 *
 * The session notes SIGINT, SIGTERM and SIGHUP. After the first signal (`signal` is set) the caller
 * should end in order; after the second one each call fails at once.
 */
#ifndef STROBE_REMOTE_SESSION_H
#define STROBE_REMOTE_SESSION_H

#include "clock-offset.h"
#include "file-sum.h"
#include "board-link.h"

#define STROBE_REMOTE_LOCK ".strobe-lock"

typedef struct StrobeRemoteRequest {
    const StrobeLinkApi *api;
    const StrobeTarget *target;
    const char *known_hosts;
    const char *folder;   /* path below the home on the board, such as "strobe/net_1234abcd" */
    gboolean has_signals; /* the session notes signals, as described above */
    void (*report)(const char *text);
} StrobeRemoteRequest;

typedef struct StrobeRemote {
    const StrobeLinkApi *api;
    StrobeLink *link;
    StrobeChannel *guard;
    char *name;          /* the host, for messages */
    char *folder;        /* absolute path of the work folder on the board */
    StrobeSumMethod sum; /* how files are compared; strobe_board_properties_read() sets it */
    int signals;         /* descriptor; -1: none */
    int signal;          /* the last signal; 0: none has arrived */
    gboolean is_forced;  /* a second signal has arrived */
    /* Called while this side waits, to pass on the program's output. Returns TRUE if there was
     * any. May be NULL. */
    gboolean (*background)(void *user);
    void *background_user;
    /* heartbeats */
    guint keepalive_s;
    guint64 n_beats;
    gint64 sent_us, answered_us;
    GString *guard_input, *guard_output, *guard_errors;
    StrobeClockOffset clock;
} StrobeRemote;

/* Connects, authenticates, and starts the guard, which takes the lock. NULL: the error; if another
 * session has the folder, the message names it. */
StrobeRemote *strobe_remote_open(const StrobeRemoteRequest *request, GError **error);
/* Ends the session, and waits until the guard has cleaned up. */
void strobe_remote_close(StrobeRemote *remote);

/* Waits for the board, at most `timeout_ms`, and exchanges heartbeats. FALSE: the connection is
 * lost, or a second signal has arrived. */
gboolean strobe_remote_turn(StrobeRemote *remote, guint timeout_ms, GError **error);
/* Sends 16 heartbeats and waits for their answers, to measure the offset of the board's clock. */
gboolean strobe_remote_measure_clock(StrobeRemote *remote, GError **error);
/* Sets the error of a session that a signal ended, and returns FALSE. */
gboolean strobe_remote_refuse_signal(const StrobeRemote *remote, GError **error);
/* Ends the program on the board. */
void strobe_remote_end_program(StrobeRemote *remote);

#endif
