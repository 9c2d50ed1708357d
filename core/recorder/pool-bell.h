/* SPDX-License-Identifier: Apache-2.0 */
/* A word in the pool (a shared futex) with which one process wakes another. libc only. */
#ifndef STROBE_CORE_POOL_BELL_H
#define STROBE_CORE_POOL_BELL_H

#include <stdatomic.h>
#include <stdint.h>

/* Increments the word and wakes all waiters. Any thread. */
void strobe_bell_ring(_Atomic uint32_t *bell);
/* Waits until the word differs from `seen`, for at most `ns`; may return early. */
void strobe_bell_wait(_Atomic uint32_t *bell, uint32_t seen, int64_t ns);

#endif
