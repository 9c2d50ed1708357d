/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_MOUNT_H
#define STROBE_TOOLS_COLLECT_MOUNT_H

#include "collect-request.h"
#include "remote-session.h"

/* Mounts --output on the board if --mount requests it. Sets *mounted to the path on the board (free
 * it), or to NULL if the JOBs must be fetched. FALSE with an error: a required mount failed. */
gboolean strobe_collect_mount(const StrobeCollectRequest *request, StrobeRemote *remote,
                              char **mounted, GError **error);

/* Returns the paths of the JOBs in the folder `path` on this machine, sorted. */
GPtrArray *strobe_collect_local_jobs(const char *path);

#endif
