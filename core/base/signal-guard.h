/* SPDX-License-Identifier: Apache-2.0 */
/* A write above the file size limit (ulimit -f) sends SIGXFSZ, a write to a pipe without a reader
 * sends SIGPIPE; either ends a program that does not expect it. Between strobe_signal_guard_hold
 * and strobe_signal_guard_release the calling thread gets no signal, only the error of the write.
 * libc only. */
#ifndef STROBE_CORE_SIGNAL_GUARD_H
#define STROBE_CORE_SIGNAL_GUARD_H

#include <signal.h>

typedef struct StrobeSignalGuard {
    sigset_t old, pending; /* the thread's mask, and its pending signals, before hold */
} StrobeSignalGuard;

void strobe_signal_guard_hold(StrobeSignalGuard *guard);
/* Discards the signals that were sent since strobe_signal_guard_hold, and restores the mask. */
void strobe_signal_guard_release(const StrobeSignalGuard *guard);

#endif
