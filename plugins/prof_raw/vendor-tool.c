/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor-tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_NS 5000000000 /* from the request to end to the end */
#define LOOK_US 20000

extern char **environ;

/* ---- finding ---- */

/* Who may write it, besides root and the user? */
static gboolean is_safe(const char *path, GString *refused)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return FALSE;
    if ((st.st_uid == 0 || st.st_uid == geteuid()) && !(st.st_mode & (S_IWGRP | S_IWOTH)))
        return TRUE;
    g_string_append_printf(refused, "%s%s may be written by others", refused->len ? "; " : "",
                           path);
    return FALSE;
}

/* The file that the name leads to: what may be changed is that one and its folder. */
static char *vetted(const char *folder, const char *name, GString *refused)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *real = realpath(path, NULL);
    struct stat st;

    if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode) || access(real, X_OK) != 0)
        return NULL;
    g_autofree char *around = g_path_get_dirname(real);
    if (!is_safe(real, refused) || !is_safe(around, refused) || !is_safe(folder, refused))
        return NULL;
    return g_steal_pointer(&path);
}

char *vendor_tool_find(const char *name, const char *home, GString *refused)
{
    const char *variable = g_getenv("PATH");
    g_auto(GStrv) folders = g_strsplit(variable ? variable : "", ":", -1);
    char *found = NULL;

    for (guint i = 0; !found && folders[i]; i++)
        if (folders[i][0] == '/') /* what lies where one stands is nobody's tool */
            found = vetted(folders[i], name, refused);
    if (!found && home && home[0] == '/') {
        g_autofree char *folder = g_build_filename(home, "bin", NULL);
        found = vetted(folder, name, refused);
    }
    return found;
}

/* ---- running ---- */

/* Its end, or that of the time: TRUE if it has ended. */
static gboolean await(pid_t child, gint64 limit_ns, gint *status)
{
    gint64 until = g_get_monotonic_time() + limit_ns / 1000;

    for (;;) {
        pid_t ended = waitpid(child, status, limit_ns ? WNOHANG : 0);

        if (ended == child)
            return TRUE;
        if (ended < 0 && errno != EINTR)
            return FALSE;
        if (limit_ns && g_get_monotonic_time() >= until)
            return FALSE;
        if (ended == 0)
            g_usleep(LOOK_US);
    }
}

static void end(pid_t child, gint *status)
{
    kill(child, SIGTERM);
    if (await(child, GRACE_NS, status))
        return;
    kill(child, SIGKILL);
    await(child, 0, status);
}

static gint start(pid_t *child, char *const arguments[], gint folder, gint log)
{
    posix_spawn_file_actions_t actions;
    gint error;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (log >= 0)
        posix_spawn_file_actions_adddup2(&actions, log, 1);
    else
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addfchdir_np(&actions, folder);
    error = posix_spawn(child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns)
{
    VendorRun run = {0};
    gint status = 0;
    pid_t child;

    run.error = start(&child, arguments, folder, log);
    if (run.error)
        return run;
    run.is_late = !await(child, limit_ns, &status);
    if (run.is_late)
        end(child, &status);
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return run;
}
