/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session with a board: the connection, a folder on the board that it holds, and a guard there.
 *
 * The guard is a command on the board that lives as long as the session. It holds the folder's
 * lock, answers heartbeats with the board's clock, and when the connection ends, for any reason, it
 * ends the program and removes the lock.
 *
 * SIGINT, SIGTERM and SIGHUP are noted: the first one asks the caller to end in order, the second
 * one makes each call fail at once.
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
    const char *folder;   /* below the home on the board, such as "strobe/net_1234abcd" */
    gboolean has_signals; /* the session notes the user's signals */
    void (*report)(const char *text);
} StrobeRemoteRequest;

typedef struct StrobeRemote {
    const StrobeLinkApi *api;
    StrobeLink *link;
    StrobeChannel *guard;
    char *name;          /* the host, for messages */
    char *folder;        /* its absolute path on the board */
    StrobeSumMethod sum; /* how files are compared; strobe_board_properties_read() finds it */
    int signals;         /* descriptor; -1: none */
    int signal;          /* 0: none has come */
    gboolean is_forced;  /* a second one has */
    /* What goes on while this side waits: passes on the program's output. TRUE: something was
     * passed on. NULL: nothing. */
    gboolean (*background)(void *user);
    void *background_user;
    /* heartbeats */
    guint keepalive_s;
    guint64 n_beats;
    gint64 sent_us, answered_us;
    GString *guard_input, *guard_output, *guard_errors;
    StrobeClockOffset clock;
} StrobeRemote;

/* Connects, authenticates, and takes the lock. NULL: the error, which names the holder of the
 * lock if another session has the folder. */
StrobeRemote *strobe_remote_open(const StrobeRemoteRequest *request, GError **error);
/* Ends it; the guard cleans up, and this waits for it. */
void strobe_remote_close(StrobeRemote *remote);

/* Waits at most so long for the board, and exchanges heartbeats. FALSE: the connection is lost, or
 * the user insists. */
gboolean strobe_remote_turn(StrobeRemote *remote, guint timeout_ms, GError **error);
/* Sends 16 heartbeats and waits for their answers: for the clock. */
gboolean strobe_remote_measure_clock(StrobeRemote *remote, GError **error);
/* Sets the error of a session that a signal ended, and returns FALSE. */
gboolean strobe_remote_refuse_signal(const StrobeRemote *remote, GError **error);
/* Ends the program on the board. */
void strobe_remote_end_program(StrobeRemote *remote);

#endif
