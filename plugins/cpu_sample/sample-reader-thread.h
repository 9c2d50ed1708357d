/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that reads samples as soon as they arrive. */
#ifndef STROBE_CPU_SAMPLE_READER_THREAD_H
#define STROBE_CPU_SAMPLE_READER_THREAD_H

typedef struct DrainThread DrainThread;

/* Starts a thread that calls `drain` again and again. `drain` itself waits for work, at most 100
 * ms. Returns NULL if the thread cannot be started. */
DrainThread *drain_thread_start(void (*drain)(void *user), void *user);

/* Ends the thread; waits until the last call of `drain` has returned. NULL is allowed. */
void drain_thread_stop(DrainThread *thread);

#endif
