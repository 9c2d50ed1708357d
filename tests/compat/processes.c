// SPDX-License-Identifier: Apache-2.0
/* Cases with threads, children, programs that execute others, daemons and signals. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "program.h"

#define N_THREADS 8

static int show_state(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    print_state();
    return 7;
}

static void *work_in_thread(void *user)
{
    make_marks();
    return user;
}

static void work_in_child(void)
{
    make_marks();
    puts("in the child");
}

static int use_threads(int argc, char **argv)
{
    pthread_t threads[N_THREADS];
    const int before = count_threads();

    (void)argc, (void)argv;
    for (int i = 0; i < N_THREADS; i++)
        check(pthread_create(&threads[i], NULL, work_in_thread, NULL) == 0, "pthread_create");
    run_in_child("child of a process with threads", work_in_child);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    make_marks();
    /* pthread_join may return before the kernel has removed the thread */
    for (int waited_ms = 0; count_threads() > before && waited_ms < 20000; waited_ms++)
        usleep(1000);
    print_state();
    return 0;
}

static void execute_again(const char *name, int left)
{
    char number[16];

    snprintf(number, sizeof number, "%d", left);
    fflush(stdout);
    execl("/proc/self/exe", "compat-program", name, number, (char *)NULL);
    check(0, "execl");
}

static int execute_chain(int argc, char **argv)
{
    int left = argc ? atoi(argv[0]) : 3;

    make_marks();
    printf("program %d\n", left);
    if (left)
        execute_again("exec", left - 1);
    print_state();
    return 5;
}

static void *execute_from_thread(void *user)
{
    execute_again("state", 0);
    return user;
}

/* Executes a program in a thread. The other threads end, and the executed program has the id of the
 * main thread. */
static int execute_in_thread(int argc, char **argv)
{
    pthread_t thread;

    (void)argc, (void)argv;
    make_marks();
    check(pthread_create(&thread, NULL, execute_from_thread, NULL) == 0, "pthread_create");
    pthread_join(thread, NULL);
    return 92;
}

/* Makes a daemon as daemon() does. The pipe on stdout is closed when the daemon ends. */
static int become_daemon(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    puts("before");
    fflush(stdout);
    if (fork() > 0)
        _exit(4);
    check(setsid() == getpid(), "setsid");
    if (fork() > 0)
        _exit(0);
    check(chdir("/") == 0, "chdir");
    umask(027);
    make_marks();
    print_state();
    fflush(stdout);
    _exit(0);
}

/* Ends by _exit() while the session is still open. */
static int leave_at_once(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    puts("leaves");
    fflush(stdout);
    _exit(6);
}

/* Records until it is killed. */
static int wait_for_the_end(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    puts("marked");
    fflush(stdout);
    while (pause())
        ;
    return 96;
}

static volatile sig_atomic_t n_signals;

static void count_signal(int number)
{
    (void)number;
    n_signals++;
}

/* Uses a profiler of the program's own, with a timer. */
static int use_profiling_timer(int argc, char **argv)
{
    const struct itimerval each_ms = {.it_interval = {0, 1000}, .it_value = {0, 1000}};
    const struct itimerval none = {0};
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART}, found;
    struct itimerval timer;

    (void)argc, (void)argv;
    check(sigaction(SIGPROF, &action, NULL) == 0, "sigaction");
    check(setitimer(ITIMER_PROF, &each_ms, NULL) == 0, "setitimer");
    while (n_signals < 20)
        make_marks();
    getitimer(ITIMER_PROF, &timer);
    sigaction(SIGPROF, NULL, &found);
    printf("interval set: %d, handler kept: %d\n", timer.it_interval.tv_usec > 0,
           found.sa_handler == count_signal);
    setitimer(ITIMER_PROF, &none, NULL);
    print_state();
    return 0;
}

static int die_by_signal(int argc, char **argv)
{
    int number = argc ? atoi(argv[0]) : SIGKILL;

    make_marks();
    puts("dies");
    fflush(stdout);
    raise(number);
    return 93;
}

static int die_by_fault(int argc, char **argv)
{
    int *volatile nowhere = NULL;

    (void)argc, (void)argv;
    make_marks();
    puts("faults");
    fflush(stdout);
    *nowhere = 1;
    return 94;
}

static void write_own_files(void)
{
    char name[32], text[16];
    int held[8];

    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "own-%d", i);
        held[i] = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
        check(held[i] >= 0, name);
        check(write(held[i], "mine", 4) == 4, "write");
    }
    make_marks();
    for (int i = 0; i < 8; i++) {
        ssize_t n = pread(held[i], text, sizeof text, 0);
        printf("descriptor %d: %.*s\n", held[i], (int)n, text);
        snprintf(name, sizeof name, "own-%d", i);
        unlink(name);
        close(held[i]);
    }
}

static int close_from(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    closefrom(3);
    write_own_files();
    print_state();
    return 0;
}

static int close_a_range(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_marks();
    check(close_range(3, ~0U, argc ? CLOSE_RANGE_UNSHARE : 0) == 0, "close_range");
    write_own_files();
    print_state();
    return 0;
}

const struct program_case process_cases[] = {
    {"state", show_state},
    {"threads", use_threads},
    {"exec", execute_chain},
    {"exec-in-thread", execute_in_thread},
    {"daemon", become_daemon},
    {"leave", leave_at_once},
    {"wait", wait_for_the_end},
    {"profiling-timer", use_profiling_timer},
    {"signal", die_by_signal},
    {"fault", die_by_fault},
    {"closefrom", close_from},
    {"close-range", close_a_range},
    {NULL, NULL},
};
