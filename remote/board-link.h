/* SPDX-License-Identifier: Apache-2.0 */
/* A connection to a board and its channels. The module libstrobe-ssh.so has it, by libssh: no other
 * command loads that library. No call but `open` waits. One thread. */
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
    char reason[128]; /* why it could not be started; "": it was */
} StrobeChannelEnd;

typedef struct StrobeLinkRequest {
    const StrobeTarget *target;
    const char *known_hosts;          /* the file of host keys; created if necessary */
    guint deadline_ms;                /* for connecting and authentication */
    int cancel;                       /* readable: gives up; -1: none */
    void (*report)(const char *text); /* the fingerprint of a new host key */
} StrobeLinkRequest;

typedef struct StrobeLinkApi {
    /* Connects, checks the host key, and authenticates. NULL: the error. */
    StrobeLink *(*open)(const StrobeLinkRequest *request, GError **error);
    void (*close)(StrobeLink *link);
    int (*descriptor)(StrobeLink *link);
    /* poll() events to wait for. */
    short (*events)(StrobeLink *link);
    /* NULL while the connection works; otherwise the reason. */
    const char *(*failure)(StrobeLink *link);
    /* This side's address, for the board. Free it. */
    char *(*own_address)(StrobeLink *link);

    /* Starts a command. Never NULL; a failure shows when it is read. */
    StrobeChannel *(*exec)(StrobeLink *link, const char *command);
    /* Starts a subsystem. */
    StrobeChannel *(*subsystem)(StrobeLink *link, const char *name);
    /* Reads what has come: bytes, 0: nothing now, -1: nothing more comes. */
    gssize (*read)(StrobeChannel *channel, gboolean is_error, void *bytes, gsize size);
    /* Sends as much as is possible now: bytes, 0: nothing now, -1: nothing can be sent. */
    gssize (*write)(StrobeChannel *channel, const void *bytes, gsize length);
    void (*end_input)(StrobeChannel *channel);
    const StrobeChannelEnd *(*end)(StrobeChannel *channel);
    void (*free)(StrobeChannel *channel);
} StrobeLinkApi;

/* Loads the module. NULL: this Strobe has none, and the error says so. */
const StrobeLinkApi *strobe_link_load(const char *module, GError **error);

#endif
