/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts threads of Strobe in another program. They leave signals to the program's own threads.
 * libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_THREAD_H
#define STROBE_HELPERS_THREAD_H

#include <pthread.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Starts a thread that blocks all signals except those of its own faults (SIGABRT, SIGBUS,
 * SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS). If these were blocked, they would end the process
 * even if the program has a handler; from glibc 2.41 on this includes abort(). Returns 0, or an
 * error number like pthread_create. The caller's signal mask stays unchanged. Any thread. */
int strobe_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

/* Returns the number of processors that the calling thread may use, which is the number of useful
 * threads; 1 if the system does not report it. Any thread. */
unsigned strobe_thread_processors(void);

#if defined(__cplusplus)
}
#endif

#endif
