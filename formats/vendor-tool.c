/* SPDX-License-Identifier: Apache-2.0 */
#include "vendor-tool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GRACE_NS 5000000000 /* time between SIGTERM and SIGKILL */
#define KILLED_NS 2000000000
#define LOOK_US 20000

/* ---- finding ---- */

/* Can only root and the user change the file or folder at `path`? If not, adds the path to
 * `refused`. */
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

/* Resolves the links of the path, and checks the file and its folder. Returns the resolved path,
 * under which the tool is run, so that a later change of a link has no effect. */
static char *vet_file(const char *folder, const char *name, int mode, GString *refused)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    g_autofree char *real = realpath(path, NULL);
    struct stat st;

    if (!real || stat(real, &st) != 0 || !S_ISREG(st.st_mode) || access(real, mode) != 0)
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
        if (folders[i][0] == '/') /* relative folders of PATH are ignored */
            found = vet_file(folders[i], name, X_OK, refused);
    if (!found && home && home[0] == '/') {
        g_autofree char *folder = g_build_filename(home, "bin", NULL);
        found = vet_file(folder, name, X_OK, refused);
    }
    return found;
}

char *vendor_tool_vet(const char *path, GString *refused)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);

    return vet_file(folder, name, R_OK, refused);
}

/* ---- running ---- */

typedef enum End { ENDED, LATE, LOST } End;

/* Waits for the child without reaping it, so that no other process or group can get its number. */
static End await_child(pid_t child, gint64 limit_ns)
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

/* ---- in the keeper, and in the tool before exec, which may only make calls that are safe in a
 * forked child of a process with threads ---- */

/* Executes the tool in a new process group, so that all processes that the tool starts can be ended
 * with it. posix_spawn is not used, because it cannot make the tool end with its parent. */
static void become_tool(char *const arguments[], gint folder, gint log, pid_t keeper, gint report)
{
    gint null = open("/dev/null", O_RDWR);
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != keeper)
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL); /* the analysis blocks signals that interrupt it */
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

static gboolean has_ended(pid_t tool)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)tool, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid == tool;
}

/* Waits until the tool ends, the caller stops it, or the parent ends. */
static void guard_tool(pid_t tool, pid_t parent)
{
    const struct timespec look = {.tv_nsec = LOOK_US * 1000};
    gboolean is_wanted = FALSE;
    sigset_t asked;

    sigemptyset(&asked);
    sigaddset(&asked, SIGTERM);
    sigaddset(&asked, SIGCHLD);
    while (!is_wanted && !has_ended(tool))
        is_wanted = sigtimedwait(&asked, NULL, &look) == SIGTERM || getppid() != parent;
    if (!is_wanted)
        return;
    kill(-tool, SIGTERM);
    for (gint64 left = GRACE_NS; left > 0 && !has_ended(tool); left -= LOOK_US * 1000)
        nanosleep(&look, NULL);
    kill(-tool, SIGKILL); /* also ends all processes that the tool has started */
}

/* Ends this process in the same way as the tool ended. */
static void end_alike(pid_t tool)
{
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    gint status = 0;

    if (waitpid(tool, &status, WNOHANG) != tool)
        _exit(1); /* the tool hangs in the kernel: not even SIGKILL ends it */
    if (WIFSIGNALED(status)) {
        const struct sigaction fall = {.sa_handler = SIG_DFL};
        setrlimit(RLIMIT_CORE, &no_core);
        sigaction(WTERMSIG(status), &fall, NULL);
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        kill(getpid(), WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* Runs in the keeper, a process between the analysis and the tool. The keeper lives longer than the
 * analysis: it ends the tool with all processes that the tool has started, even if the analysis was
 * killed. It keeps no descriptors of the analysis. */
static void keep_tool(char *const arguments[], gint folder, gint log, pid_t parent, gint report)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};
    sigset_t all;

    setpgid(0, 0); /* in its own group, so that signals from a terminal reach only the analysis */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigaction(SIGCHLD, &fall, NULL);
    sigaction(SIGTERM, &fall, NULL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    pid_t keeper = getpid(), tool = _Fork();
    if (tool == 0)
        become_tool(arguments, folder, log, keeper, report);
    if (tool < 0) {
        gint error = errno;
        ssize_t written = write(report, &error, sizeof error);
        (void)written;
        _exit(1);
    }
    close_range(0, G_MAXUINT, 0);
    guard_tool(tool, parent);
    end_alike(tool);
}

/* ---- in the analysis ---- */

/* Ends the keeper, and with it the tool and all processes that it has started. */
static void end_keeper(pid_t keeper)
{
    kill(keeper, SIGTERM);
    if (await_child(keeper, GRACE_NS + KILLED_NS) == LATE)
        kill(keeper, SIGKILL);
}

static gint start_keeper(pid_t *keeper, char *const arguments[], gint folder, gint log)
{
    pid_t parent = getpid();
    gint report[2], error = 0;
    ssize_t got;

    if (pipe2(report, O_CLOEXEC) != 0)
        return errno;
    *keeper = fork();
    if (*keeper == 0)
        keep_tool(arguments, folder, log, parent, report[1]);
    if (*keeper < 0)
        error = errno;
    close(report[1]);
    do
        got = read(report[0], &error, sizeof error);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    if (got > 0)
        waitpid(*keeper, NULL, 0);
    return error;
}

VendorRun vendor_tool_run(char *const arguments[], gint folder, gint log, gint64 limit_ns)
{
    VendorRun run = {0};
    gint status = 0;
    pid_t keeper = -1;

    run.error = start_keeper(&keeper, arguments, folder, log);
    if (run.error)
        return run;
    End how = await_child(keeper, limit_ns);
    if (how == LATE)
        end_keeper(keeper);
    waitpid(keeper, &status, WNOHANG);
    run.is_late = how == LATE;
    run.is_lost = how == LOST;
    run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return run;
}
