/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the folder of the process's control group, in version 1 or 2 of the interface. */
#ifndef STROBE_PLUGINS_HOST_SYS_CGROUP_H
#define STROBE_PLUGINS_HOST_SYS_CGROUP_H

#include "host-sys-context.h"

typedef struct HostCgroup {
    int version;     /* version 1 or 2; 0: there is no group */
    char path[1024]; /* the group's name in /proc/PID/cgroup */
    char mount[512]; /* folder of the controller's tree */
    /* folder of the group; equal to `mount` if the group's folder is not visible */
    char folder[2048];
} HostCgroup;

/* Finds the group for `controller` ("memory", "cpu") in a tree that has `file`; tries version 2
 * first. `file_1` is the file's name in version 1. Returns -1 if there is no such group. */
int host_cgroup_find(const HostContext *context, const char *controller, const char *file,
                     const char *file_1, HostCgroup *cgroup);

/* Changes `cgroup` to the parent group. Returns -1 if the folder is the mount. */
int host_cgroup_up(HostCgroup *cgroup);

#endif
