/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a process whose program has ended without an exit: the main thread has called
 * pthread_exit(), and all other threads of the program have ended too. Otherwise Strobe's threads
 * would keep the process alive for ever. libc only. */
#ifndef STROBE_CORE_ABANDONED_H
#define STROBE_CORE_ABANDONED_H

/* Checks at most once a second whether the process has only Strobe's threads. If so, a new thread
 * ends the process by exit(0), as the end of its last thread would. Each thread of Strobe that may
 * be the last thread of a process must call this. */
void strobe_look_for_program(void);

#endif
