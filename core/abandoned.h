/* SPDX-License-Identifier: Apache-2.0 */
/* A process whose program is gone: its main thread has ended by pthread_exit(), the others too, and
 * Strobe's threads, which take no signals, would keep it for ever. libc only. */
#ifndef STROBE_CORE_ABANDONED_H
#define STROBE_CORE_ABANDONED_H

/* Are only Strobe's threads left? */
int strobe_is_abandoned(void);

/* Ends the process as its last thread would have: exit(0), in a thread of its own. Any thread. */
void strobe_end_abandoned(void);

#endif
