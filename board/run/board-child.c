/* SPDX-License-Identifier: Apache-2.0 */
#include "board-child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXIT_NOT_FOUND 127
/* less than the 2 s after which the session's guard kills all processes of the run */
#define PATIENCE_MS 1000

/* Signals that request the end. They are sent to the process group of the program, to which this
 * process belongs. */
static const int ends[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
static sigset_t mask_before;
static struct sigaction child_before;

static void block_signals(sigset_t *mask)
{
    sigemptyset(mask);
    sigaddset(mask, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaddset(mask, ends[i]);
    sigprocmask(SIG_BLOCK, mask, &mask_before);
}

/* Resets SIGCHLD to its default action: if it is ignored, the kernel removes ended children, and
 * waitpid() does not return their status. */
static void take_child_signal(void)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};

    sigaction(SIGCHLD, &fall, &child_before);
}

static void become_program(char **command, char **environment, int gate, int report)
{
    char byte;
    ssize_t n;

    do
        n = read(gate, &byte, 1);
    while (n < 0 && errno == EINTR);
    if (n != 1) /* the gate was closed without a byte, because strobe-board-run has ended */
        _exit(EXIT_NOT_FOUND);
    sigaction(SIGCHLD, &child_before, NULL);
    sigprocmask(SIG_SETMASK, &mask_before, NULL);
    execvpe(command[0], command, environment);
    const int reason = errno;
    const ssize_t written = write(report, &reason, sizeof reason);
    (void)written;
    _exit(EXIT_NOT_FOUND);
}

int board_child_fork(BoardChild *child, char **command, char **environment)
{
    int gate[2], report[2];
    sigset_t mask;

    take_child_signal();
    block_signals(&mask);
    child->signals = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child->signals < 0 || pipe2(gate, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
        return errno;
    child->pid = fork();
    if (child->pid < 0)
        return errno;
    if (child->pid == 0) {
        close(gate[1]);
        become_program(command, environment, gate[0], report[1]);
    }
    close(gate[0]);
    close(report[1]);
    child->gate = gate[1];
    child->report = report[0];
    return 0;
}

int board_child_release(BoardChild *child)
{
    int reason = 0;
    ssize_t n = write(child->gate, "", 1);

    close(child->gate);
    do
        n = read(child->report, &reason, sizeof reason);
    while (n < 0 && errno == EINTR);
    close(child->report);
    return n == (ssize_t)sizeof reason ? reason : 0;
}

static int reap_child(pid_t pid)
{
    int status = 0;

    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

void board_child_discard(const BoardChild *child)
{
    kill(child->pid, SIGKILL);
    reap_child(child->pid);
}

static int has_ended(pid_t pid)
{
    siginfo_t info = {0};

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return errno == ECHILD;
    return info.si_pid == pid;
}

static int64_t read_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Whether a signal that requests the end has come. Reads all pending signals. */
static int take_signals(const BoardChild *child)
{
    struct signalfd_siginfo info;
    int is_asked = 0;

    while (read(child->signals, &info, sizeof info) == (ssize_t)sizeof info)
        is_asked |= info.ssi_signo != SIGCHLD;
    return is_asked;
}

static int find_rest(int64_t until, int64_t now)
{
    return until > now ? (int)(until - now) : 0;
}

int board_child_wait(BoardChild *child, int timeout_ms)
{
    static int64_t kill_at; /* time at which the program is killed; 0: it is not to be killed */
    struct pollfd waited = {.fd = child->signals, .events = POLLIN};
    const int64_t until = read_ms() + timeout_ms;

    while (!has_ended(child->pid)) {
        const int64_t now = read_ms();
        int rest = timeout_ms < 0 ? -1 : find_rest(until, now);

        if (kill_at && now >= kill_at)
            kill(child->pid, SIGKILL);
        if (timeout_ms >= 0 && now >= until)
            return 0;
        if (kill_at && (rest < 0 || find_rest(kill_at, now) < rest))
            rest = now < kill_at ? find_rest(kill_at, now) : PATIENCE_MS;
        poll(&waited, 1, rest);
        if (take_signals(child) && !kill_at)
            kill_at = read_ms() + PATIENCE_MS;
    }
    return 1;
}

int board_child_end_alike(const BoardChild *child)
{
    const struct sigaction fall = {.sa_handler = SIG_DFL};
    const struct rlimit no_core = {0, 0};
    sigset_t mask;
    const int status = reap_child(child->pid);

    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    /* this process writes no core file; the program has written its own */
    setrlimit(RLIMIT_CORE, &no_core);
    sigaction(WTERMSIG(status), &fall, NULL);
    sigemptyset(&mask);
    sigaddset(&mask, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
