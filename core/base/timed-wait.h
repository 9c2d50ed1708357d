/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for conditions with a deadline on CLOCK_MONOTONIC. */
#ifndef STROBE_CORE_TIMED_WAIT_H
#define STROBE_CORE_TIMED_WAIT_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline void strobe_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Waits until `ns` on CLOCK_MONOTONIC, or until `cond` is signalled. `cond` must be initialised by
 * strobe_cond_init(). May also return early, as any wait for a condition may. */
static inline void strobe_cond_wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t ns)
{
    const struct timespec until = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    pthread_cond_timedwait(cond, lock, &until);
}

#endif
