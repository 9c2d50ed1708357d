/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out whether a board has an SFTP server, which many boards lack. */
#ifndef STROBE_REMOTE_REMOTE_SFTP_H
#define STROBE_REMOTE_REMOTE_SFTP_H

#include "remote-session.h"

/* Sets `has_sftp` if the subsystem sftp answers within three seconds. libssh's sftp_init() is not
 * used, because without a server it waits for ever. FALSE: the connection is lost. */
gboolean strobe_remote_has_sftp(StrobeRemote *remote, gboolean *has_sftp, GError **error);

#endif
