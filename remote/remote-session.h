/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a board: the connection, a locked folder on the board, and a guard there.
 *
 * The guard is a command on the board that runs as long as the session. It holds the folder's lock
 * and answers heartbeats with the time of the board's clock. When the connection ends, for any
 * reason, the guard ends the program and removes the lock.
 *
 * The session notes SIGINT, SIGTERM and SIGHUP. After the first signal (`signal` is set) the caller
 * should end its work in order; after the second one each call fails at once.
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
    /* path of the work folder below the home folder on the board, for example
     * "strobe/net_1234abcd" */
    const char *folder;
    gboolean has_signals; /* the session notes signals, as described above */
    void (*report)(const char *text);
} StrobeRemoteRequest;

typedef struct StrobeRemote {
    const StrobeLinkApi *api;
    StrobeLink *link;
    StrobeChannel *guard;
    char *name;   /* name of the host, for messages */
    char *folder; /* absolute path of the work folder on the board */
    /* method by which files are compared; strobe_board_properties_read() sets it */
    StrobeSumMethod sum;
    int signals;        /* descriptor from which signals are read; -1: none */
    int signal;         /* number of the last signal; 0: none has arrived */
    gboolean is_forced; /* a second signal has arrived */
    /* May be NULL. Called while this process waits, to pass on output of the program. Returns
     * whether there was any. */
    gboolean (*background)(void *user);
    void *background_user;
    /* state of the heartbeats */
    guint keepalive_s;
    guint64 n_beats;
    gint64 sent_us, answered_us;
    GString *guard_input, *guard_output, *guard_errors;
    StrobeClockOffset clock;
} StrobeRemote;

/* Connects, authenticates, and starts the guard, which takes the lock. NULL with an error; if
 * another session has locked the folder, the message names that session. */
StrobeRemote *strobe_remote_open(const StrobeRemoteRequest *request, GError **error);
/* Ends the session, and waits until the guard has cleaned up. */
void strobe_remote_close(StrobeRemote *remote);

/* Waits for data from the board, at most `timeout_ms`, and exchanges heartbeats. FALSE with an
 * error: the connection is lost, or a second signal has arrived. */
gboolean strobe_remote_turn(StrobeRemote *remote, guint timeout_ms, GError **error);
/* Sends a heartbeat and waits for its answer. FALSE with an error: the guard has ended, the
 * connection is lost, or a second signal has arrived. */
gboolean strobe_remote_beat(StrobeRemote *remote, GError **error);
/* Sends 16 heartbeats and waits for their answers, to measure the offset of the board's clock in
 * remote->clock. FALSE with an error. */
gboolean strobe_remote_measure_clock(StrobeRemote *remote, GError **error);
/* Sets the error of a session that a signal ended, and returns FALSE. */
gboolean strobe_remote_refuse_signal(const StrobeRemote *remote, GError **error);
/* Asks the guard to end the program on the board. */
void strobe_remote_end_program(StrobeRemote *remote);

#endif
