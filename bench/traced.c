/* SPDX-License-Identifier: Apache-2.0 */
/* traced [CALLS]: makes about CALLS calls. A program for uftrace, compiled with -pg. */
#include <stdlib.h>

void __attribute__((noinline)) outer(long i);
long __attribute__((noinline)) middle(long i);
long __attribute__((noinline)) inner(long i);

static volatile long sink;

long inner(long i)
{
    sink = i;
    return sink;
}

long middle(long i)
{
    return inner(i) + 1;
}

void outer(long i)
{
    sink = middle(i) + inner(i);
}

int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : 1000000;

    for (long i = 0; i < calls; i += 4)
        outer(i);
    return 0;
}
