/* SPDX-License-Identifier: Apache-2.0 */
#ifndef STROBE_TOOLS_COLLECT_MOUNT_H
#define STROBE_TOOLS_COLLECT_MOUNT_H

#include "collect-request.h"
#include "remote-session.h"

/* Mounts --output on the board if that is asked for: *mounted is its path there (free it), NULL:
 * JOBs are fetched. FALSE: the error; it is required and failed. */
gboolean strobe_collect_mount(const StrobeCollectRequest *request, StrobeRemote *remote,
                              char **mounted, GError **error);

/* The JOBs in a folder here, by path. */
GPtrArray *strobe_collect_local_jobs(const char *path);

#endif
