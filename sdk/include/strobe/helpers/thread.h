/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads in somebody else's program: its signals are for its own threads. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_THREAD_H
#define STROBE_HELPERS_THREAD_H

#include <pthread.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Starts a thread that blocks all signals but those of its own faults (SIGABRT, SIGBUS, SIGSEGV,
 * SIGFPE, SIGILL, SIGTRAP, SIGSYS): blocked, they end the process although the program has a
 * handler; from glibc 2.41 on that holds for abort() too. Returns 0, or an error number as
 * pthread_create does. The caller's mask is as before. Any thread.
 */
int strobe_thread_start(pthread_t *thread, void *(*run)(void *), void *user);

/* How many processors the calling thread may use: those that another thread is worth having for. 1
 * where the system does not say. Any thread. */
unsigned strobe_thread_processors(void);

#if defined(__cplusplus)
}
#endif

#endif
