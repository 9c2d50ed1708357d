/* SPDX-License-Identifier: Apache-2.0 */
/* A write beyond the limit of file sizes (ulimit -f) sends SIGXFSZ, one to a pipe that nobody reads
 * SIGPIPE; either ends a program that does not expect it. Between hold and release the calling
 * thread gets the error alone. libc only. */
#ifndef STROBE_CORE_SIGNAL_GUARD_H
#define STROBE_CORE_SIGNAL_GUARD_H

#include <signal.h>

typedef struct StrobeSignalGuard {
    sigset_t old, pending; /* masked, and waiting, before hold */
} StrobeSignalGuard;

void strobe_signal_guard_hold(StrobeSignalGuard *guard);
/* Takes back the signals that were sent in between. */
void strobe_signal_guard_release(const StrobeSignalGuard *guard);

#endif
