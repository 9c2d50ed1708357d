/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that does one thing again and again: what must be done at once. */
#ifndef STROBE_CPU_SAMPLE_READER_THREAD_H
#define STROBE_CPU_SAMPLE_READER_THREAD_H

typedef struct DrainThread DrainThread;

/* Calls `drain`, which waits until there is something to do, at most 100 ms. NULL: there is no
 * thread to be had. */
DrainThread *drain_thread_start(void (*drain)(void *user), void *user);

/* Returns when the last call has. NULL is allowed. */
void drain_thread_stop(DrainThread *thread);

#endif
