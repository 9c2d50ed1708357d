/* SPDX-License-Identifier: Apache-2.0 */
/* The folder of the process's control group, in either version of the interface. */
#ifndef STROBE_PLUGINS_HOST_SYS_CGROUP_H
#define STROBE_PLUGINS_HOST_SYS_CGROUP_H

#include "host-sys-context.h"

typedef struct HostCgroup {
    int version;     /* 1, 2; 0: none */
    char path[1024]; /* the group's name, as the kernel says it */
    char mount[512]; /* folder of the controller's tree */
    char
        folder[2048]; /* of the group: the mount itself where the group lies outside what is seen */
} HostCgroup;

/* Finds the group for `controller` ("memory", "cpu"): the tree with `file` in it, of version 2
 * first. 0, or -1. `file_1` is what the file is called in version 1. */
int host_cgroup_find(const HostContext *context, const char *controller, const char *file,
                     const char *file_1, HostCgroup *cgroup);

/* Goes to the folder above. -1: this was the mount. */
int host_cgroup_up(HostCgroup *cgroup);

#endif
