/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that are told, by SIGPROF, of the page faults that they have had. */
#ifndef STROBE_TOOLS_FAULT_WATCH_H
#define STROBE_TOOLS_FAULT_WATCH_H

#include <stdint.h>
#include <sys/types.h>

/* Calling thread, which lets SIGPROF through: from fault_watch_begin on it is told itself. */
void fault_watch_thread(void);
/* From now on: after so many faults each, with those of calls into the system where that is
 * allowed. Threads that start later and do not ask for it have theirs told to `main_thread`. Once;
 * any thread. Nothing where the system does not count for us. */
void fault_watch_begin(pid_t main_thread, uint64_t n_faults);

#endif
