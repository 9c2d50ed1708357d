/* SPDX-License-Identifier: Apache-2.0 */
#include "probe-child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_MAX (1024 * 1024)
#define GIVE_UP_US (2 * G_USEC_PER_SEC) /* time for which a child is awaited after SIGKILL */
#define LEAST_PAUSE_US 20               /* pause between two checks whether the child has ended */
#define MOST_PAUSE_US 1000
#define NOT_FOUND 127

int strobe_child_write(void *answer, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t written = write(GPOINTER_TO_INT(answer), bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return EIO;
        bytes += written;
        length -= (size_t)written;
    }
    return 0;
}

/* Runs in the child. Makes a process group for the child, so that its children can be killed too,
 * and makes the child end with its parent. */
static void prepare_child(pid_t parent)
{
    const struct rlimit no_core = {0, 0};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    sigemptyset(&none);
    /* `strobe doctor` blocks the signals that interrupt it */
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0);
    /* SIGTERM, because `strobe run` then ends its command and cleans up */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(1);
    for (int number = 0; null >= 0 && number <= STDERR_FILENO; number++)
        dup2(null, number);
    setrlimit(RLIMIT_CORE, &no_core);
}

/* Reads from the pipe into `text` until its other end is closed or the time is over. FALSE: the
 * time is over. */
static gboolean read_answer(int pipe, gint64 end_us, GString *text)
{
    char buffer[8192];
    gsize limit = text->len + ANSWER_MAX;

    while (text->len < limit) {
        gint64 left_us = end_us - g_get_monotonic_time();
        struct pollfd event = {.fd = pipe, .events = POLLIN};
        if (left_us <= 0)
            return FALSE;
        int ready = poll(&event, 1, (int)(left_us / 1000) + 1);
        ssize_t got = ready > 0 ? read(pipe, buffer, sizeof buffer) : -1;
        if (ready > 0 && got == 0)
            return TRUE;
        if (got > 0)
            g_string_append_len(text, buffer, got);
        else if (ready > 0 && errno != EINTR)
            return TRUE;
    }
    return TRUE;
}

/* Waits for the child, whose pipe is closed, and kills it if it takes too long. Gives up if even
 * SIGKILL does not end the child, because it hangs in the kernel. */
static StrobeChildEnd end_child(pid_t child, gboolean in_time, int *status)
{
    gint64 kill_us = g_get_monotonic_time() + (in_time ? G_USEC_PER_SEC : 0);
    /* the first pause is short, because the child usually ends right after it has closed its
     * pipe */
    gulong pause_us = LEAST_PAUSE_US;
    gboolean is_killed = FALSE;

    for (;;) {
        gint64 now_us = g_get_monotonic_time();
        if (now_us >= kill_us && !is_killed) {
            kill(-child, SIGKILL);
            is_killed = TRUE;
        }
        pid_t ended = waitpid(child, status, WNOHANG);
        if (ended == child)
            return in_time ? STROBE_CHILD_ENDED : STROBE_CHILD_LATE;
        if (ended < 0 && errno != EINTR)
            return in_time ? STROBE_CHILD_LOST : STROBE_CHILD_LATE;
        if (now_us >= kill_us + GIVE_UP_US)
            return STROBE_CHILD_LATE;
        g_usleep(pause_us);
        pause_us = MIN(2 * pause_us, MOST_PAUSE_US);
    }
}

StrobeChildEnd strobe_child_run(StrobeChildWork work, void *user, gint64 limit_us, GString *text,
                                int *status)
{
    gint64 end_us = g_get_monotonic_time() + limit_us;
    pid_t parent = getpid();
    int answer[2];

    *status = 0;
    if (pipe2(answer, O_CLOEXEC) != 0)
        return STROBE_CHILD_NOT_MADE;
    pid_t child = fork();
    if (child == 0) {
        prepare_child(parent);
        _exit(work(user, answer[1]));
    }
    close(answer[1]);
    if (child < 0) {
        close(answer[0]);
        return STROBE_CHILD_NOT_MADE;
    }
    setpgid(child, child); /* the child makes this call too, because either process may run first */
    gboolean in_time = read_answer(answer[0], end_us, text);
    close(answer[0]);
    return end_child(child, in_time, status);
}

struct program {
    char *const *words;
    gboolean with_errors;
};

static int become_program(void *user, int answer)
{
    const struct program *program = user;

    dup2(answer, STDOUT_FILENO);
    if (program->with_errors)
        dup2(answer, STDERR_FILENO);
    execvp(program->words[0], program->words);
    return NOT_FOUND;
}

StrobeChildEnd strobe_child_spawn(char *const *words, gboolean with_errors, gint64 limit_us,
                                  GString *text, int *status)
{
    struct program program = {words, with_errors};

    return strobe_child_run(become_program, &program, limit_us, text, status);
}

char *strobe_child_failure(StrobeChildEnd end, int status, gint64 limit_us)
{
    if (end == STROBE_CHILD_NOT_MADE)
        return g_strdup("no process can be made");
    if (end == STROBE_CHILD_LATE)
        return g_strdup_printf("it does not come back within %d s",
                               (int)(limit_us / G_USEC_PER_SEC));
    if (end == STROBE_CHILD_LOST)
        return g_strdup("how it ended is not known: another has waited for it");
    if (WIFSIGNALED(status))
        return g_strdup_printf("it crashes: %s", g_strsignal(WTERMSIG(status)));
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return g_strdup_printf("it ends with exit code %d", WEXITSTATUS(status));
    return NULL;
}
