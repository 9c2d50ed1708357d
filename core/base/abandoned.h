/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a process whose program is gone: its main thread has ended by pthread_exit(), and so have
 * the others. Otherwise Strobe's threads would keep the process alive for ever. libc only. */
#ifndef STROBE_CORE_ABANDONED_H
#define STROBE_CORE_ABANDONED_H

/* Checks at most once a second whether only Strobe's threads are left. If so, ends the process
 * as its last thread would have: exit(0), in a separate thread. Each thread of Strobe that may
 * be the last one calls this. */
void strobe_look_for_program(void);

#endif
