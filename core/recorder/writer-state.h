/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the writer of a pool is still there: the program sees that without a system call in a
 * word of the pool. The kernel marks it when the thread that holds it ends, in whatever way, and
 * whatever pid, root or /proc the program has (a robust futex, see set_robust_list(2)). libc only.
 */
#ifndef STROBE_CORE_WRITER_STATE_H
#define STROBE_CORE_WRITER_STATE_H

#include <linux/futex.h>
#include "pool.h"

#define STROBE_WRITER_NAME "strobe-writer" /* of its program and process */

/* The calling thread, the writer, holds the pool's word until it ends; once in a process. Returns 0
 * or an errno value. */
int strobe_writer_hold_word(struct pool_header *pool);

/* Will the writer never do anything again? Any thread; on the recording path too. */
static inline int strobe_writer_is_gone(const struct pool_header *pool)
{
    const struct pool_control *control = &pool->control;

    return atomic_load_explicit(&control->writer_state, memory_order_relaxed) ==
               STROBE_WRITER_GONE ||
           (atomic_load_explicit(&control->writer, memory_order_relaxed) & FUTEX_OWNER_DIED);
}

#endif
