/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts a folder of this machine on the board by NFS, so that the board's runtime writes into it.
 * The vendor's tool works in the same way. */
#ifndef STROBE_REMOTE_BOARD_MOUNT_H
#define STROBE_REMOTE_BOARD_MOUNT_H

#include "remote-session.h"

/* Mounts the folder `path` of this machine at ~/profiling on the board. `server` is this machine's
 * address; NULL: its address on the connection. Returns the path of the folder on the board (free
 * it). NULL with an error; the connection may still work. When the session ends, the guard unmounts
 * the folder. */
char *strobe_board_mount(StrobeRemote *remote, const char *server, const char *path,
                         GError **error);
/* Unmounts the folder on the board. FALSE with an error. */
gboolean strobe_board_unmount(StrobeRemote *remote, GError **error);

#endif
