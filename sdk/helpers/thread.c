/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/thread.h>

#include <sched.h>
#include <signal.h>
#include <stddef.h>

static const int faults[] = {SIGABRT, SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

int strobe_thread_start(pthread_t *thread, void *(*run)(void *), void *user)
{
    sigset_t blocked, before;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int error = pthread_create(thread, NULL, run, user);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

unsigned strobe_thread_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}
