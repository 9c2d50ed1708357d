// SPDX-License-Identifier: Apache-2.0
/* Cases with filters of system calls: the calls of the program itself are allowed, all other calls
 * kill the process. A thread's first record makes system calls, later records make none. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "program.h"

#define ALLOW(call)                                                                                \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1),                                         \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* A filter that allows output, memory, futexes and exits, but no files, processes, threads or
 * signals. */
static struct sock_filter narrow[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    ALLOW(write),
    ALLOW(newfstatat),
    ALLOW(futex),
    ALLOW(mmap),
    ALLOW(munmap),
    ALLOW(mprotect),
    ALLOW(madvise),
    ALLOW(brk),
    ALLOW(rt_sigprocmask),
    ALLOW(rseq),
    ALLOW(exit),
    ALLOW(exit_group),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

static void filter_calls(unsigned flags)
{
    const struct sock_fprog program = {sizeof narrow / sizeof *narrow, narrow};

    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "PR_SET_NO_NEW_PRIVS");
    check(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program) == 0, "seccomp");
}

/* Runs under the filter that allows only read, write, exit and sigreturn, and ends by exit, which
 * ends the only thread. The kernel then also forbids the processor's counter, so a mark would cause
 * a fault. */
static int filter_strictly(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    puts("strict");
    fflush(stdout);
    check(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "PR_SET_SECCOMP");
    syscall(SYS_exit, 8);
    return 95;
}

static void *work_filtered(void *user)
{
    make_marks();
    filter_calls(0);
    make_marks();
    return user;
}

static int filter_a_thread(int argc, char **argv)
{
    pthread_t thread;

    (void)argc, (void)argv;
    make_marks();
    check(pthread_create(&thread, NULL, work_filtered, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    make_marks();
    puts("joined");
    return 0;
}

static pthread_barrier_t is_started, is_filtered;

static void *await_filter(void *user)
{
    make_marks();
    pthread_barrier_wait(&is_started);
    pthread_barrier_wait(&is_filtered);
    make_marks();
    return user;
}

/* Behaves like the renderer of a browser: opens all files that it needs, and then installs the
 * filter for all threads. Works for some time, so that a sampler takes samples. */
static int filter_all_threads(int argc, char **argv)
{
    pthread_t thread;

    (void)argc, (void)argv;
    make_marks();
    pthread_barrier_init(&is_started, NULL, 2);
    pthread_barrier_init(&is_filtered, NULL, 2);
    check(pthread_create(&thread, NULL, await_filter, NULL) == 0, "pthread_create");
    pthread_barrier_wait(&is_started);
    filter_calls(SECCOMP_FILTER_FLAG_TSYNC);
    pthread_barrier_wait(&is_filtered);
    pthread_join(thread, NULL);
    for (volatile long i = 0; i < 100000000; i++)
        ;
    make_marks();
    puts("filtered");
    fflush(stdout);
    _exit(9);
}

static void filter_at_exit(void)
{
    fflush(stdout);
    filter_calls(SECCOMP_FILTER_FLAG_TSYNC);
}

/* Installs the filter in a function that is registered with atexit. Functions that were registered
 * earlier run after it. */
static int filter_last(int argc, char **argv)
{
    (void)argc, (void)argv;
    atexit(filter_at_exit);
    make_marks();
    puts("exits");
    return 0;
}

const struct program_case filter_cases[] = {
    {"filter-strictly", filter_strictly},
    {"filter-thread", filter_a_thread},
    {"filter-all-threads", filter_all_threads},
    {"filter-at-exit", filter_last},
    {NULL, NULL},
};
