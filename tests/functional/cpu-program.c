/* SPDX-License-Identifier: Apache-2.0 */
/* cpu-program MODE SECONDS: spends processor time in two functions, in known shares. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
/* Both functions together take a few microseconds. If they took as long as the time between two
 * samples, all samples would be at the same place in them. Their loops work in a register: how long
 * a loop waits for its own store depends on what the processor has learnt of it, and that differs
 * between the functions. */
#define ROUND 2000
#define REPEATS 50

static volatile unsigned long sink;

/* Does three quarters of the work. */
static NOINLINE void work_large(void)
{
    unsigned long x = sink;

    for (unsigned long i = 0; i < 3 * ROUND; i++)
        x = x * 3 + i;
    sink = x;
}

/* Does one quarter of the work. */
static NOINLINE void work_small(void)
{
    unsigned long x = sink;

    for (unsigned long i = 0; i < ROUND; i++)
        x = x * 3 + i;
    sink = x;
}

static inline __attribute__((always_inline)) void mix(unsigned long n)
{
    unsigned long x = sink;

    for (unsigned long i = 0; i < n; i++)
        x = x * 3 + i;
    sink = x;
}

static NOINLINE void mix_large(void)
{
    mix(3 * ROUND);
}

static NOINLINE void mix_small(void)
{
    mix(ROUND);
}

static double read_cpu_time(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Runs both functions for `seconds`, without the time before main. */
static NOINLINE void run_both(double seconds, void (*large)(void), void (*small)(void))
{
    double begin = read_cpu_time(CLOCK_THREAD_CPUTIME_ID);

    while (read_cpu_time(CLOCK_THREAD_CPUTIME_ID) - begin < seconds) {
        for (int i = 0; i < REPEATS; i++) {
            large();
            small();
        }
    }
}

static NOINLINE void run_one(double seconds, void (*work)(void))
{
    double begin = read_cpu_time(CLOCK_THREAD_CPUTIME_ID);

    while (read_cpu_time(CLOCK_THREAD_CPUTIME_ID) - begin < seconds)
        for (int i = 0; i < REPEATS; i++)
            work();
}

static void *run_large(void *seconds)
{
    prctl(PR_SET_NAME, "large");
    run_one(*(double *)seconds * 3 / 4, work_large);
    return NULL;
}

static void *run_small(void *seconds)
{
    prctl(PR_SET_NAME, "small");
    run_one(*(double *)seconds / 4, work_small);
    return NULL;
}

static void run_threads(double seconds)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, run_large, &seconds);
    pthread_create(&threads[1], NULL, run_small, &seconds);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

static void run_fork(double seconds)
{
    pid_t child = fork();

    if (child == 0) {
        run_one(seconds / 4, work_small);
        _exit(0);
    }
    run_one(seconds * 3 / 4, work_large);
    waitpid(child, NULL, 0);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    double seconds = atof(argv[2]), begin = read_cpu_time(CLOCK_PROCESS_CPUTIME_ID);
    if (strcmp(argv[1], "plain") == 0)
        run_both(seconds, work_large, work_small);
    else if (strcmp(argv[1], "inlined") == 0)
        run_both(seconds, mix_large, mix_small);
    else if (strcmp(argv[1], "threads") == 0)
        run_threads(seconds);
    else if (strcmp(argv[1], "fork") == 0)
        run_fork(seconds);
    else
        return 2;
    printf("%.3f\n", read_cpu_time(CLOCK_PROCESS_CPUTIME_ID) - begin);
    return 0;
}
