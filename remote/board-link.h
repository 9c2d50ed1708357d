/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a connection to a board and its channels. The module libstrobe-ssh.so implements
 * it with libssh, so that commands without a board need not load libssh. Only `open` waits. The
 * caller must make all calls from one thread. */
#ifndef STROBE_REMOTE_LINK_H
#define STROBE_REMOTE_LINK_H

#include "target.h"

#define STROBE_LINK_MODULE "libstrobe-ssh.so"
#define STROBE_LINK_SYMBOL "strobe_link_api_1"

typedef struct StrobeLink StrobeLink;
typedef struct StrobeChannel StrobeChannel;

/* How a command on the board ended. */
typedef struct StrobeChannelEnd {
    gboolean is_known;
    int status;       /* exit status; -1: the signal ended the command */
    char signal[16];  /* name of the signal, for example "SEGV"; "": none */
    char reason[128]; /* reason for which the command could not be started; "": it was started */
} StrobeChannelEnd;

typedef struct StrobeLinkRequest {
    const StrobeTarget *target;
    const char *known_hosts; /* path of the file of host keys, which is created if necessary */
    guint deadline_ms;       /* maximum time for connecting and authentication */
    int cancel;              /* descriptor: when it is readable, `open` gives up; -1: none */
    void (*report)(const char *text); /* receives a text with the fingerprint of a new host key */
} StrobeLinkRequest;

typedef struct StrobeLinkApi {
    /* Connects, checks the host key, and authenticates. NULL with an error. */
    StrobeLink *(*open)(const StrobeLinkRequest *request, GError **error);
    void (*close)(StrobeLink *link);
    int (*descriptor)(StrobeLink *link);
    /* Returns the poll() events for which the caller must wait on the descriptor. */
    short (*events)(StrobeLink *link);
    /* Returns the reason for which the connection has failed. NULL: the connection works. */
    const char *(*failure)(StrobeLink *link);
    /* Returns the address of this machine on the connection, which the board can reach. Free it. */
    char *(*own_address)(StrobeLink *link);

    /* Starts a command. Never returns NULL; if the command cannot be started, `read` reports
     * this. */
    StrobeChannel *(*exec)(StrobeLink *link, const char *command);
    /* Starts the subsystem `name` of the SSH server, for example "sftp". Reports failure like
     * `exec`. */
    StrobeChannel *(*subsystem)(StrobeLink *link, const char *name);
    /* Reads output or, if `is_error`, error output that has arrived. Returns the number of bytes;
     * 0: none has arrived; -1: the output has ended. */
    gssize (*read)(StrobeChannel *channel, gboolean is_error, void *bytes, gsize size);
    /* Sends as many bytes as possible without waiting. Returns their number; -1: no more bytes can
     * be sent. */
    gssize (*write)(StrobeChannel *channel, const void *bytes, gsize length);
    void (*end_input)(StrobeChannel *channel);
    const StrobeChannelEnd *(*end)(StrobeChannel *channel);
    void (*free)(StrobeChannel *channel);
} StrobeLinkApi;

/* Loads the module at the path `module`, which is NULL if Strobe was built without it. NULL with an
 * error. */
const StrobeLinkApi *strobe_link_load(const char *module, GError **error);

#endif
