/* SPDX-License-Identifier: Apache-2.0 */
/* A word in the pool that one process counts up to wake another, which sleeps there: a shared
 * futex. libc only. */
#ifndef STROBE_CORE_POOL_BELL_H
#define STROBE_CORE_POOL_BELL_H

#include <stdatomic.h>
#include <stdint.h>

/* Counts the word up and wakes who sleeps there. Any thread. */
void strobe_bell_ring(_Atomic uint32_t *bell);
/* Sleeps until the word is another than `seen`, for `ns` at most; may return early. */
void strobe_bell_wait(_Atomic uint32_t *bell, uint32_t seen, int64_t ns);

#endif
