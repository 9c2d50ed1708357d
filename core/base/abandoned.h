/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose program is gone: its main thread has ended by pthread_exit(), the others too, and
 * Strobe's threads, which take no signals, would keep it for ever. libc only. */
#ifndef STROBE_CORE_ABANDONED_H
#define STROBE_CORE_ABANDONED_H

/* Looks once a second, however often it is called, whether only Strobe's threads are left, and then
 * ends the process as its last thread would have: exit(0), in a thread of its own. Called by each
 * thread of Strobe's that may be the last. */
void strobe_look_for_program(void);

#endif
