/* SPDX-License-Identifier: Apache-2.0 */
#include "beside-process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strobe/helpers/environment.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "own-program.h"

#define STACK_BYTES (64u << 10)
#define SIGNALS 64
#define FIRST_AFTER_STDERR 3
/* Number of descriptors that are closed one by one if the system has no close_range(). */
#define DESCRIPTORS_MAX 65536

/* Data for the processes that start the wanted one; these run in the program's memory. */
struct start {
    int is_child; /* 1: the wanted process is a direct child of this process, without a process in
                     between */
    char program[PATH_MAX];
    char *arguments[STROBE_BESIDE_ARGUMENTS + 2], *environment[3];
    int descriptor; /* -1: none */
    char *inner_stack;
    pid_t wanted;
    int error;
};

/* ---- in the new processes, which may only make system calls ---- */

static void close_range_of(unsigned first, unsigned last)
{
    if (syscall(SYS_close_range, first, last, 0u) == 0)
        return;
    for (unsigned fd = first; fd <= last && fd < DESCRIPTORS_MAX; fd++)
        syscall(SYS_close, fd);
}

/* Closes all descriptors except the one that the process is given. */
static void close_others(int given)
{
    if (given < 0) {
        close_range_of(0, ~0u);
        return;
    }
    if (given == STROBE_BESIDE_DESCRIPTOR)
        syscall(SYS_fcntl, given, F_SETFD, 0); /* stays open in the new program */
    else
        syscall(SYS_dup3, given, STROBE_BESIDE_DESCRIPTOR, 0);
    close_range_of(0, STROBE_BESIDE_DESCRIPTOR - 1);
    close_range_of(STROBE_BESIDE_DESCRIPTOR + 1, ~0u);
}

static void reset_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigset_t none;

    for (int number = 1; number <= SIGNALS; number++)
        sigaction(number, &action, NULL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Leaves the program's process group, terminal, descriptors, signal dispositions and folder. */
static int run_wanted(void *user)
{
    struct start *start = user;

    setsid();
    close_others(start->descriptor);
    int null = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    for (int fd = 1; null == 0 && fd < FIRST_AFTER_STDERR; fd++)
        syscall(SYS_dup3, null, fd, 0);
    if (null != 0 || syscall(SYS_chdir, "/") != 0)
        return EXIT_FAILURE; /* otherwise its files would get the numbers of the standard
                                streams */
    reset_signals();
    execve(start->program, start->arguments, start->environment);
    start->error = errno;
    return EXIT_FAILURE;
}

/* Runs in the process between the program and the wanted process: starts the latter and exits at
 * once, so that the wanted process is not a child of the program. */
static int run_between(void *user)
{
    struct start *start = user;

    start->wanted =
        clone(run_wanted, start->inner_stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, start);
    if (start->wanted < 0)
        start->error = errno;
    return EXIT_SUCCESS;
}

/* ---- in the program ---- */

/* Starts the first of the new processes. All of them have the exit signal 0: the kernel sends no
 * SIGCHLD, and wait() does not return them. Signals are blocked because a handler would run in the
 * program's memory. */
static int start_first(struct start *start, char *stack)
{
    const int flags = CLONE_VM | CLONE_VFORK;
    sigset_t all, before;
    int cancel;

    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = start->is_child ? clone(run_wanted, stack + STACK_BYTES, flags | SIGCHLD, start)
                                : clone(run_between, stack + STACK_BYTES, flags, start);
    int error = pid < 0 ? errno : 0;
    if (start->is_child)
        start->wanted = pid;
    while (!start->is_child && pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
        ;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancel, NULL);
    return error ? error : start->error;
}

/* Makes the environment: without preloaded libraries, but with library paths, and with the time
 * zone, which the names of result directories need. */
static void make_environment(struct start *start)
{
    static const char *const names[] = {"LD_LIBRARY_PATH", "TZ"};
    int n = 0;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = strobe_environment_get(names[i]);
        if (value && asprintf(&start->environment[n], "%s=%s", names[i], value) > 0)
            n++;
        else
            start->environment[n] = NULL;
    }
}

static void set_arguments(struct start *start, const StrobeBesideProcess *process)
{
    start->arguments[0] = (char *)(uintptr_t)process->name;
    for (int i = 0; i < STROBE_BESIDE_ARGUMENTS && process->arguments[i]; i++)
        start->arguments[i + 1] = (char *)(uintptr_t)process->arguments[i];
    start->descriptor = process->descriptor;
}

static int start_with_stacks(struct start *start, const StrobeBesideProcess *process)
{
    char *stacks = mmap(NULL, (size_t)2 * STACK_BYTES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);

    if (stacks == MAP_FAILED)
        return ENOMEM;
    start->inner_stack = stacks + STACK_BYTES;
    set_arguments(start, process);
    make_environment(start);
    int error = start_first(start, stacks);
    free(start->environment[0]);
    free(start->environment[1]);
    munmap(stacks, (size_t)2 * STACK_BYTES);
    return error;
}

/* Would this process become the parent of the wanted process? It would if it is a subreaper or the
 * first process of a pid namespace: orphans become its children, so that its wait() would return
 * the wanted process. A pid namespace that was made for children also ends with its first process.
 */
static int adopts_orphans(void)
{
    char own[64] = "", of_children[64] = "";
    int is_subreaper = 0;

    prctl(PR_GET_CHILD_SUBREAPER, &is_subreaper);
    if (readlink("/proc/self/ns/pid", own, sizeof own - 1) < 0 ||
        readlink("/proc/self/ns/pid_for_children", of_children, sizeof of_children - 1) < 0)
        own[0] = of_children[0] = 0;
    return getpid() == 1 || is_subreaper || strcmp(own, of_children) != 0;
}

int strobe_beside_process_start(const StrobeBesideProcess *process, pid_t *pid)
{
    struct start *start = calloc(1, sizeof *start);

    if (!start)
        return ENOMEM;
    int error =
        adopts_orphans() ? EOPNOTSUPP : strobe_find_own_program(process->name, start->program);
    if (error == 0)
        error = start_with_stacks(start, process);
    *pid = start->wanted;
    free(start);
    return error;
}

int strobe_beside_process_start_child(const char *program, const StrobeBesideProcess *process,
                                      pid_t *pid)
{
    struct start *start = calloc(1, sizeof *start);
    int error = start ? 0 : ENOMEM;

    if (error == 0 && snprintf(start->program, PATH_MAX, "%s", program) >= PATH_MAX)
        error = ENAMETOOLONG;
    if (error == 0) {
        start->is_child = 1;
        error = start_with_stacks(start, process);
        *pid = start->wanted;
    }
    free(start);
    return error;
}
