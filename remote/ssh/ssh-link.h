/* SPDX-License-Identifier: Apache-2.0 */
/* Shared parts of the module that connects to boards with libssh. */
#ifndef STROBE_REMOTE_SSH_LINK_H
#define STROBE_REMOTE_SSH_LINK_H

#include <libssh/libssh.h>

#include "board-link.h"

struct StrobeLink {
    ssh_session session;
    const StrobeTarget *target; /* valid only while the link is being opened */
    char *name;                 /* name for messages, for example "user@host, port 22" */
    char *failure;
};

/* The deadline for opening a link. The calls of libssh do not wait, and are repeated until it. */
typedef struct SshWait {
    const StrobeLinkRequest *request;
    ssh_session session;
    gint64 end_us;
    gboolean is_cancelled;
} SshWait;

/* Waits for data from the board. FALSE: the deadline has passed, or the user interrupted. */
gboolean strobe_ssh_wait_more(SshWait *wait);
/* Sets the error after strobe_ssh_wait_more() has returned FALSE, and returns FALSE. */
gboolean strobe_ssh_refuse_wait(const SshWait *wait, const char *name, const char *step,
                                GError **error);

/* Compares the server's key with the known ones. Stores a key if the host is new, unless the target
 * forbids this. FALSE with an error. */
gboolean strobe_ssh_check_host_key(StrobeLink *link, SshWait *wait, GError **error);
/* Tries the target's key, the keys of the agent, the default keys, the password and prompts, in
 * this order. FALSE with an error. */
gboolean strobe_ssh_authenticate(StrobeLink *link, SshWait *wait, GError **error);

StrobeChannel *strobe_ssh_exec(StrobeLink *link, const char *command);
StrobeChannel *strobe_ssh_start_subsystem(StrobeLink *link, const char *name);
gssize strobe_ssh_read(StrobeChannel *channel, gboolean is_error, void *bytes, gsize size);
gssize strobe_ssh_write(StrobeChannel *channel, const void *bytes, gsize length);
void strobe_ssh_end_input(StrobeChannel *channel);
const StrobeChannelEnd *strobe_ssh_end(StrobeChannel *channel);
void strobe_ssh_free_channel(StrobeChannel *channel);

#endif
