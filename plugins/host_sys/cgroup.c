/* SPDX-License-Identifier: Apache-2.0 */
#include "cgroup.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/sys-file.h>

/* Returns whether `controller` is one of the names before the second colon of the line. */
static int line_has(const char *names, size_t length, const char *controller)
{
    size_t wanted = strlen(controller);

    for (const char *end = names + length; names < end;) {
        size_t n = strcspn(names, ",:");
        if (n == wanted && memcmp(names, controller, n) == 0)
            return 1;
        names += n + 1;
    }
    return 0;
}

/* Sets cgroup->folder to the nearest folder that has the file, from the group's folder upwards. In
 * a container the group's name can be its name on the host, while the container sees only a part of
 * the tree. */
static int find_folder(HostCgroup *cgroup, const char *file)
{
    char path[2200];

    snprintf(cgroup->folder, sizeof cgroup->folder, "%s%s", cgroup->mount,
             strcmp(cgroup->path, "/") ? cgroup->path : "");
    do {
        snprintf(path, sizeof path, "%s/%s", cgroup->folder, file);
        if (access(path, R_OK) == 0)
            return 0;
    } while (host_cgroup_up(cgroup) == 0);
    return -1;
}

int host_cgroup_up(HostCgroup *cgroup)
{
    char *slash = strrchr(cgroup->folder, '/');

    if (!slash || strlen(cgroup->folder) <= strlen(cgroup->mount))
        return -1;
    *slash = '\0';
    return 0;
}

/* Reads a line of the form "N:names:/path"; `names` is empty in version 2. */
static int take_line(const HostContext *context, const char *line, const char *controller,
                     int version, HostCgroup *cgroup)
{
    const char *names = strchr(line, ':');
    const char *path = names ? strchr(names + 1, ':') : NULL;
    char folder[64];

    if (!path || (version == 2) != (path == names + 1))
        return -1;
    if (version == 1 && !line_has(names + 1, (size_t)(path - names - 1), controller))
        return -1;
    cgroup->version = version;
    snprintf(cgroup->path, sizeof cgroup->path, "%.*s", (int)strcspn(path + 1, "\n"), path + 1);
    if (version == 1)
        snprintf(folder, sizeof folder, "/%s", controller);
    else
        folder[0] = '\0';
    snprintf(cgroup->mount, sizeof cgroup->mount, "%.400s/fs/cgroup%s", context->sys_root, folder);
    return 0;
}

int host_cgroup_find(const HostContext *context, const char *controller, const char *file,
                     const char *file_1, HostCgroup *cgroup)
{
    char name[64];

    memset(cgroup, 0, sizeof *cgroup);
    snprintf(name, sizeof name, "%d/cgroup", (int)context->pid);
    if (strobe_sys_read_path(context->proc_root, name, context->text, context->text_size) < 0)
        return -1;
    for (int version = 2; version >= 1; version--)
        for (const char *line = context->text; line; line = strobe_sys_next_line(line))
            if (take_line(context, line, controller, version, cgroup) == 0 &&
                find_folder(cgroup, version == 2 ? file : file_1) == 0)
                return 0;
    cgroup->version = 0;
    return -1;
}
