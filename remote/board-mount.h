/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the vendor's tool: a folder of this machine is mounted on the board by NFS, and the
 * board's runtime writes into it. */
#ifndef STROBE_REMOTE_BOARD_MOUNT_H
#define STROBE_REMOTE_BOARD_MOUNT_H

#include "remote-session.h"

/* Mounts `path` of this machine (its address: `server`, NULL: that of the connection) at
 * ~/profiling. Returns that folder's path on the board, or NULL with the error set: the connection
 * may still work. The guard unmounts it. Free it. */
char *strobe_board_mount(StrobeRemote *remote, const char *server, const char *path,
                         GError **error);
/* Unmounts it. */
gboolean strobe_board_unmount(StrobeRemote *remote, GError **error);

#endif
