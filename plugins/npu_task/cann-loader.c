/* SPDX-License-Identifier: Apache-2.0 */
#include "cann-loader.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIAL_MS 10000 /* for the child that loads the library first */
#define END_MS 1000    /* for its end */
#define LOADED 'l'

int npu_cann_is_loaded(const char *name)
{
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

void npu_cann_path(const char *name, char *path, size_t size)
{
    const char *home = getenv("ASCEND_HOME_PATH");

    if (home && *home)
        snprintf(path, size, "%s/lib64/%s", home, name);
    else
        snprintf(path, size, "%s", name);
}

/* ---- the trial ---- */

/* In the child: what the library prints when it ends the process is nobody's business. */
static void try_to_load(const char *path, int flags, int answer)
{
    const struct rlimit no_core = {0, 0};
    const char loaded = LOADED;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int signal_number = 1; signal_number < NSIG; signal_number++)
        signal(signal_number, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    for (int fd = 0; null >= 0 && fd <= 2; fd++)
        dup2(null, fd);
    if (dlopen(path, flags) && write(answer, &loaded, 1) == 1)
        _exit(0);
    _exit(1);
}

/* Whatever it still does. One that hangs in the kernel, which not even SIGKILL ends, is given up:
 * the program that is profiled does not wait for it. */
static void end_trial(pid_t child)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < END_MS; i++) {
        pid_t ended = waitpid(child, NULL, WNOHANG);
        if (ended == child || (ended < 0 && errno != EINTR))
            return;
        kill(child, SIGKILL);
        nanosleep(&pause, NULL);
    }
}

/* The answer comes through a pipe: a handler of the program's own may have waited for the child. */
static const char *await_trial(pid_t child, int answer)
{
    struct pollfd wait = {.fd = answer, .events = POLLIN};
    const char *failure = "loading it ended the process that tried";
    char byte = 0;
    int ready;

    do
        ready = poll(&wait, 1, TRIAL_MS);
    while (ready < 0 && errno == EINTR);
    if (ready > 0 && read(answer, &byte, 1) == 1 && byte == LOADED)
        failure = NULL;
    else if (ready <= 0)
        failure = "loading it took longer than 10 s in the process that tried";
    end_trial(child);
    return failure;
}

const char *npu_cann_try(const char *path, int flags)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return "there is no pipe to a process that tries";
    pid_t child = fork();
    if (child == 0)
        try_to_load(path, flags, ends[1]);
    close(ends[1]);
    const char *failure = child < 0 ? "there is no process to try" : await_trial(child, ends[0]);
    close(ends[0]);
    return failure;
}
