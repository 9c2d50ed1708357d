/* SPDX-License-Identifier: Apache-2.0 */
/* sampled ROUNDS: works for ROUNDS rounds, each with the same work: three quarters of it in one
 * function and one quarter in another. Prints the processor time and the elapsed time of the work,
 * and the processor time before main, in ns. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline))
#define PART 100000

static volatile unsigned long sink;

static NOINLINE void work_large(void)
{
    for (unsigned long i = 0; i < 3 * PART; i++)
        sink = sink * 3 + i;
}

static NOINLINE void work_small(void)
{
    for (unsigned long i = 0; i < PART; i++)
        sink = sink * 3 + i;
}

static long long read_clock(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

int main(int argc, char **argv)
{
    const long long start = read_clock(CLOCK_PROCESS_CPUTIME_ID);
    const long long begin = read_clock(CLOCK_MONOTONIC);

    for (int i = argc > 1 ? atoi(argv[1]) : 0; i > 0; i--) {
        work_large();
        work_small();
    }
    printf("%lld %lld %lld\n", read_clock(CLOCK_PROCESS_CPUTIME_ID) - start,
           read_clock(CLOCK_MONOTONIC) - begin, start);
    return 0;
}
