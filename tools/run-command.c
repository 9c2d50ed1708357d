/* SPDX-License-Identifier: Apache-2.0 */
#include "run-command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "error.h"

static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
static const int left_alone[] = {SIGINT, SIGQUIT};

static sigset_t mask_before;
static struct sigaction actions_before[G_N_ELEMENTS(left_alone)];
static struct sigaction child_action_before;
static gboolean is_prepared;

char *strobe_run_program(const char *name, char *const *environment)
{
    const char *search = g_environ_getenv((char **)environment, "PATH");

    if (strchr(name, '/'))
        return g_file_test(name, G_FILE_TEST_EXISTS) ? g_strdup(name) : NULL;
    g_auto(GStrv) folders = g_strsplit(search ? search : "/bin:/usr/bin", ":", -1);
    for (char **folder = folders; *folder; folder++) {
        g_autofree char *path = g_build_filename(**folder ? *folder : ".", name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test(path, G_FILE_TEST_IS_DIR))
            return g_steal_pointer(&path);
    }
    return NULL;
}

void strobe_run_heed_children(void)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};

    sigaction(SIGCHLD, &fall, &child_action_before);
}

static void fill_awaited(sigset_t *mask)
{
    sigemptyset(mask);
    sigaddset(mask, SIGCHLD);
    for (gsize i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaddset(mask, passed_on[i]);
}

/* Blocks the signals for which this process waits, so that none is lost between two waits. Ignores
 * the signals of the terminal's keys, which reach the profiled command directly and must not end
 * this process earlier. */
static void prepare_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t mask;

    fill_awaited(&mask);
    sigprocmask(SIG_BLOCK, &mask, &mask_before);
    for (gsize i = 0; i < G_N_ELEMENTS(left_alone); i++)
        sigaction(left_alone[i], &ignore, &actions_before[i]);
    is_prepared = TRUE;
}

void strobe_run_restore_signals(void)
{
    if (!is_prepared)
        return;
    for (gsize i = 0; i < G_N_ELEMENTS(left_alone); i++)
        sigaction(left_alone[i], &actions_before[i], NULL);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    is_prepared = FALSE;
}

static void wait_for_close(int gate)
{
    char byte;

    while (read(gate, &byte, 1) < 0 && errno == EINTR)
        ;
}

/* Runs in the child. Waits until the other end of `gate` is closed, and then executes the command.
 * If this fails, writes errno to `report` and exits. */
static void become_command(char **command, char **environment, int gate, int report)
{
    wait_for_close(gate);
    strobe_run_restore_signals();
    sigaction(SIGCHLD, &child_action_before, NULL);
    execvpe(command[0], command, environment);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    (void)written;
    _exit(STROBE_EXIT_NOT_FOUND);
}

/* Whether the signal came to the command too. When a terminal hangs up, the kernel signals the
 * whole foreground process group. */
static gboolean came_to_both(const struct signalfd_siginfo *info, pid_t child)
{
    return info->ssi_code == SI_KERNEL && getpgid(child) == getpgrp();
}

static void pass_signals_on(int signals, pid_t child)
{
    struct signalfd_siginfo info;

    while (read(signals, &info, sizeof info) == (ssize_t)sizeof info)
        if (info.ssi_signo != SIGCHLD && !came_to_both(&info, child))
            kill(child, (int)info.ssi_signo);
}

/* Reads the processor times of the command's process, which has ended and is not reaped yet. */
static void read_times(StrobeRunEnd *end)
{
    g_autofree char *path = g_strdup_printf("/proc/%ld/stat", (long)end->pid), *text = NULL;
    guint64 user, system, children_user, children_system;
    const char *fields = NULL;

    if (g_file_get_contents(path, &text, NULL, NULL))
        fields = strrchr(text, ')');
    if (!fields || sscanf(fields + 1,
                          " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" G_GUINT64_FORMAT
                          " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT,
                          &user, &system, &children_user, &children_system) != 4)
        return;
    end->own_ticks = user + system;
    end->children_ticks = children_user + children_system;
}

/* Whether the command has ended. Reaps the command, and writers that have ended. */
static gboolean has_ended(StrobeRunEnd *end, StrobeRunWriters *writers)
{
    siginfo_t ended = {0};
    int status;

    while (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 || errno == EINTR) {
        if (ended.si_pid == 0)
            return FALSE;
        if (ended.si_pid == end->pid)
            read_times(end);
        waitpid(ended.si_pid, &status, 0);
        strobe_run_writers_reaped(writers, ended.si_pid, status);
        if (ended.si_pid == end->pid) {
            end->status = status;
            return TRUE;
        }
        ended.si_pid = 0;
    }
    return TRUE;
}

static void wait_for(StrobeRunEnd *end, int signals, StrobeRunWriters *writers)
{
    struct pollfd events[] = {{.fd = signals, .events = POLLIN},
                              {.fd = writers->fifo, .events = POLLIN}};

    while (!has_ended(end, writers)) {
        poll(events, G_N_ELEMENTS(events), -1);
        strobe_run_writers_start(writers);
        pass_signals_on(signals, end->pid);
    }
}

/* Returns the errno value with which the child could not execute the command; 0: it could. */
static int read_reason(int report)
{
    int reason = 0;
    ssize_t got;

    do
        got = read(report, &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof reason ? reason : 0;
}

static int fail_to_make(const char *what, GError **error)
{
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot make a %s: %s", what,
                g_strerror(errno));
    return STROBE_EXIT_FAILED;
}

static void close_pipe(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

static pid_t start_command(char **command, char **environment, StrobeRunBegin *begin, void *user,
                           const int report[2])
{
    int gate[2];

    if (pipe2(gate, O_CLOEXEC) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(gate[1]);
        become_command(command, environment, gate[0], report[1]);
    }
    int reason = errno;
    if (child > 0)
        begin(user, child);
    close_pipe(gate);
    errno = reason;
    return child;
}

static int run_to_its_end(char **command, char **environment, StrobeRunWriters *writers,
                          StrobeRunBegin *begin, void *user, int signals, StrobeRunEnd *end,
                          GError **error)
{
    int report[2];

    if (pipe2(report, O_CLOEXEC) != 0)
        return fail_to_make("pipe", error);
    pid_t child = start_command(command, environment, begin, user, report);
    int code = child < 0 ? fail_to_make("process", error) : STROBE_EXIT_OK;
    close(report[1]);
    int reason = child < 0 ? 0 : read_reason(report[0]);
    close(report[0]);
    if (child < 0)
        return code;
    end->pid = child;
    wait_for(end, signals, writers);
    if (reason == 0)
        return STROBE_EXIT_OK;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot run \"%s\": %s", command[0],
                g_strerror(reason));
    return reason == ENOENT || reason == ENOTDIR ? STROBE_EXIT_NOT_FOUND
                                                 : STROBE_EXIT_NOT_EXECUTABLE;
}

int strobe_run_command(char **command, char **environment, StrobeRunWriters *writers,
                       StrobeRunBegin *begin, void *user, StrobeRunEnd *end, GError **error)
{
    sigset_t mask;

    *end = (StrobeRunEnd){0};
    fill_awaited(&mask);
    int signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        return fail_to_make("file of signals", error);
    prepare_signals();
    int code = run_to_its_end(command, environment, writers, begin, user, signals, end, error);
    close(signals);
    return code;
}

int strobe_run_end_alike(int status)
{
    struct sigaction fall = {.sa_handler = SIG_DFL};
    const struct rlimit no_core = {0, 0};
    sigset_t mask;

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    /* this process writes no core file; the command has written its own */
    setrlimit(RLIMIT_CORE, &no_core);
    sigaction(number, &fall, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    return 128 + number;
}
