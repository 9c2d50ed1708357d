/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor-tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define GRACE_NS 5000000000 /* from the request to end to the end */
#define KILLED_NS 2000000000
#define LOOK_US 20000

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

/* The file that the name leads to: what may be changed is that one and its folder, and it is run by
 * this path, whatever becomes of the links to it. */
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
    return g_steal_pointer(&real);
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

typedef enum End { ENDED, LATE, LOST } End;

/* It is not reaped here, so that its number stays that of its group. */
static End await(pid_t child, gint64 limit_ns)
{
    gint64 until = g_get_monotonic_time() + limit_ns / 1000;

    for (;;) {
        siginfo_t info = {0};

        if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) == 0) {
            if (info.si_pid == child)
                return ENDED;
        } else if (errno != EINTR) {
            return LOST;
        }
        if (limit_ns && g_get_monotonic_time() >= until)
            return LATE;
        g_usleep(LOOK_US);
    }
}

/* With all that it has started. What hangs in the kernel is given up: not even SIGKILL ends it. */
static void end(pid_t child)
{
    kill(-child, SIGTERM);
    if (await(child, GRACE_NS) == LOST)
        return;
    kill(-child, SIGKILL);
    await(child, KILLED_NS);
}

/* In the child, of a process with threads: only what is safe there. Its group is its own, and it
 * ends with its parent, whose terminal no longer does that. Not posix_spawn: it has no word for the
 * latter. */
static void become(char *const arguments[], gint folder, gint log, pid_t parent, gint report)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};
    gint null = open("/dev/null", O_RDWR);
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    sigaction(SIGTERM, &fall, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the analysis blocks what interrupts it */
    if (null >= 0 && dup2(null, 0) == 0 && dup2(log >= 0 ? log : null, 1) == 1 && dup2(1, 2) == 2 &&
        fchdir(folder) == 0) {
        if (null > 2)
            close(null);
        execv(arguments[0], arguments);
    }
    gint error = errno;
    ssize_t written = write(report, &error, sizeof error);
    (void)written;
    _exit(1);
}

static gint start(pid_t *child, char *const arguments[], gint folder, gint log)
{
    pid_t parent = getpid();
    gint report[2], error = 0;
    ssize_t got;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *child = fork();
    if (*child == 0)
        become(arguments, folder, log, parent, report[1]);
    if (*child < 0)
        error = errno;
    close(report[1]);
    do
        got = read(report[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got > 0)
        waitpid(*child, NULL, 0);
    return error;
}

VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns)
{
    VendorRun run = {0};
    gint status = 0;
    pid_t child = -1;

    run.error = start(&child, arguments, folder, log);
    if (run.error)
        return run;
    End how = await(child, limit_ns);
    if (how == LATE)
        end(child);
    waitpid(child, &status, WNOHANG);
    run.is_late = how == LATE;
    run.is_lost = how == LOST;
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return run;
}
