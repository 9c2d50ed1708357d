/* SPDX-License-Identifier: Apache-2.0 */
#include "run-command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
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

/* The signals we wait for are blocked, so that none is lost between two waits; those of the
 * terminal reach the command by themselves and must not end us before it. */
static void prepare_signals(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    for (gsize i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaddset(&mask, passed_on[i]);
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

/* In the child. Tells through the pipe why it could not become the command. */
static void become(char **command, char **environment, int report)
{
    strobe_run_restore_signals();
    sigaction(SIGCHLD, &child_action_before, NULL);
    execvpe(command[0], command, environment);
    int reason = errno;
    ssize_t written = write(report, &reason, sizeof reason);
    (void)written;
    _exit(STROBE_EXIT_NOT_FOUND);
}

/* A terminal that hangs up tells its whole foreground group, the command too. */
static gboolean came_to_both(const siginfo_t *info, pid_t child)
{
    return info->si_code == SI_KERNEL && getpgid(child) == getpgrp();
}

static void wait_for(pid_t child, int *status)
{
    siginfo_t info;
    sigset_t mask;

    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    for (gsize i = 0; i < G_N_ELEMENTS(passed_on); i++)
        sigaddset(&mask, passed_on[i]);
    for (;;) {
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return;
        int number = sigwaitinfo(&mask, &info);
        if (number > 0 && number != SIGCHLD && !came_to_both(&info, child))
            kill(child, number);
    }
}

int strobe_run_command(char **command, char **environment, int *status, GError **error)
{
    int report[2], reason = 0;

    *status = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot make a pipe: %s",
                    g_strerror(errno));
        return STROBE_EXIT_FAILED;
    }
    prepare_signals();
    pid_t child = fork();
    if (child == 0)
        become(command, environment, report[1]);
    close(report[1]);
    if (child < 0) {
        reason = errno;
        close(report[0]);
        g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot make a process: %s",
                    g_strerror(reason));
        return STROBE_EXIT_FAILED;
    }
    ssize_t got;
    do
        got = read(report[0], &reason, sizeof reason);
    while (got < 0 && errno == EINTR);
    close(report[0]);
    wait_for(child, status);
    if (got != (ssize_t)sizeof reason)
        return STROBE_EXIT_OK;
    g_set_error(error, STROBE_ERROR, STROBE_ERROR_FAILED, "Cannot run \"%s\": %s", command[0],
                g_strerror(reason));
    return reason == ENOENT || reason == ENOTDIR ? STROBE_EXIT_NOT_FOUND
                                                 : STROBE_EXIT_NOT_EXECUTABLE;
}

int strobe_run_end_alike(int status)
{
    struct sigaction fall = {.sa_handler = SIG_DFL};
    const struct rlimit no_core = {0, 0};
    sigset_t mask;

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &no_core); /* the command's own core file is the one that counts */
    sigaction(number, &fall, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, number);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(number);
    return 128 + number;
}
