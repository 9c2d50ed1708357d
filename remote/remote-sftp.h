/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether a board has an SFTP server, which many boards lack. */
#ifndef STROBE_REMOTE_REMOTE_SFTP_H
#define STROBE_REMOTE_REMOTE_SFTP_H

#include "remote-session.h"

/* Sets *has_sftp to whether the subsystem sftp answers within three seconds. Does not use
 * sftp_init() of libssh, which waits for ever if there is no server. FALSE with an error: the
 * connection is lost. */
gboolean strobe_remote_has_sftp(StrobeRemote *remote, gboolean *has_sftp, GError **error);

#endif
