/* SPDX-License-Identifier: Apache-2.0 */
#include "file-limit.h"

#include <time.h>

static int is_pending(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

static void only_this(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGXFSZ);
}

void strobe_file_limit_hold(StrobeFileLimit *limit)
{
    sigset_t signals;

    only_this(&signals);
    limit->was_pending = is_pending();
    pthread_sigmask(SIG_BLOCK, &signals, &limit->old);
}

void strobe_file_limit_release(const StrobeFileLimit *limit)
{
    const struct timespec at_once = {0, 0};
    sigset_t signals;

    only_this(&signals);
    if (!limit->was_pending && is_pending())
        sigtimedwait(&signals, NULL, &at_once);
    pthread_sigmask(SIG_SETMASK, &limit->old, NULL);
}
