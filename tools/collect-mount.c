/* SPDX-License-Identifier: Apache-2.0 */
#include "collect-mount.h"

#include <svp-names.h>

#include "board-mount.h"
#include "command.h"

gboolean strobe_collect_mount(const StrobeCollectRequest *request, StrobeRemote *remote,
                              char **mounted, GError **error)
{
    GError *failure = NULL;

    *mounted = NULL;
    if (request->mount == STROBE_MOUNT_OFF)
        return TRUE;
    *mounted = strobe_board_mount(remote, request->server, request->output, &failure);
    if (*mounted)
        return TRUE;
    if (request->mount == STROBE_MOUNT_REQUIRED) {
        g_propagate_error(error, failure);
        return FALSE;
    }
    strobe_complain("%s: JOBs are fetched instead", failure->message);
    g_error_free(failure);
    return TRUE;
}

GPtrArray *strobe_collect_local_jobs(const char *path)
{
    GPtrArray *jobs = g_ptr_array_new_with_free_func(g_free);
    GDir *folder = g_dir_open(path, 0, NULL);
    const char *name;

    while (folder && (name = g_dir_read_name(folder)))
        if (svp_is_job_name(name) && !g_str_has_suffix(name, ".part"))
            g_ptr_array_add(jobs, g_build_filename(path, name, NULL));
    if (folder)
        g_dir_close(folder);
    return jobs;
}
