/* SPDX-License-Identifier: Apache-2.0 */
/* The SFTP server of a board, which many boards lack. */
#ifndef STROBE_REMOTE_REMOTE_SFTP_H
#define STROBE_REMOTE_REMOTE_SFTP_H

#include "remote-session.h"

/* Does the subsystem answer within three seconds? libssh's sftp_init() waits without an end where
 * there is none. FALSE: the connection is lost. */
gboolean strobe_remote_has_sftp(StrobeRemote *remote, gboolean *has_sftp, GError **error);

#endif
