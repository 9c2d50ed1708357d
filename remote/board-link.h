/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a board and its channels. The module libstrobe-ssh.so implements it with libssh,
 * so that commands without a board need not load that library. Only `open` waits. All calls come
 * from one thread. */
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
    int status;       /* exit status; -1: ended by the signal */
    char signal[16];  /* "SEGV" */
    char reason[128]; /* why the command could not be started; "": it was started */
} StrobeChannelEnd;

typedef struct StrobeLinkRequest {
    const StrobeTarget *target;
    const char *known_hosts; /* the file of host keys; created if necessary */
    guint deadline_ms;       /* for connecting and authentication */
    int cancel;              /* descriptor; `open` gives up when it is readable; -1: none */
    void (*report)(const char *text); /* the fingerprint of a new host key */
} StrobeLinkRequest;

typedef struct StrobeLinkApi {
    /* Connects, checks the host key, and authenticates. NULL: the error. */
    StrobeLink *(*open)(const StrobeLinkRequest *request, GError **error);
    void (*close)(StrobeLink *link);
    int (*descriptor)(StrobeLink *link);
    /* The poll() events to wait for on the descriptor. */
    short (*events)(StrobeLink *link);
    /* NULL while the connection works; otherwise the reason. */
    const char *(*failure)(StrobeLink *link);
    /* The address of this machine on the connection, which the board can reach. Free it. */
    char *(*own_address)(StrobeLink *link);

    /* Starts a command. Never NULL; `read` reports a failure. */
    StrobeChannel *(*exec)(StrobeLink *link, const char *command);
    /* Starts a subsystem of the SSH server. */
    StrobeChannel *(*subsystem)(StrobeLink *link, const char *name);
    /* Reads the data that has arrived. Returns the number of bytes; 0: none now; -1: the data has
     * ended. */
    gssize (*read)(StrobeChannel *channel, gboolean is_error, void *bytes, gsize size);
    /* Sends as much as is possible now. Returns the number of bytes; 0: none now; -1: no more can
     * be sent. */
    gssize (*write)(StrobeChannel *channel, const void *bytes, gsize length);
    void (*end_input)(StrobeChannel *channel);
    const StrobeChannelEnd *(*end)(StrobeChannel *channel);
    void (*free)(StrobeChannel *channel);
} StrobeLinkApi;

/* Loads the module. NULL: the error; `module` is NULL if Strobe was built without it. */
const StrobeLinkApi *strobe_link_load(const char *module, GError **error);

#endif
