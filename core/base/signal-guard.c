/* SPDX-License-Identifier: Apache-2.0 */
#include "signal-guard.h"

#include <time.h>

static const int guarded[] = {SIGXFSZ, SIGPIPE};
enum { N_GUARDED = sizeof guarded / sizeof *guarded };

void strobe_signal_guard_hold(StrobeSignalGuard *guard)
{
    sigset_t signals;

    sigemptyset(&signals);
    for (int i = 0; i < N_GUARDED; i++)
        sigaddset(&signals, guarded[i]);
    sigpending(&guard->pending);
    pthread_sigmask(SIG_BLOCK, &signals, &guard->old);
}

void strobe_signal_guard_release(const StrobeSignalGuard *guard)
{
    const struct timespec at_once = {0, 0};
    sigset_t signals, now;

    sigpending(&now);
    sigemptyset(&signals);
    for (int i = 0; i < N_GUARDED; i++)
        if (sigismember(&now, guarded[i]) == 1 && sigismember(&guard->pending, guarded[i]) == 0)
            sigaddset(&signals, guarded[i]);
    while (sigtimedwait(&signals, NULL, &at_once) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &guard->old, NULL);
}
