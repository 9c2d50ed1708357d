/* SPDX-License-Identifier: Apache-2.0 */
/* Shows whether the writer of a pool still exists, in a word of the pool that the program reads
 * without a system call. The word is a robust futex (set_robust_list(2)): the kernel marks it when
 * the writer's thread ends in any way. The program needs no process id, pid namespace, root folder
 * or /proc for this. libc only. */
#ifndef STROBE_CORE_WRITER_STATE_H
#define STROBE_CORE_WRITER_STATE_H

#include <linux/futex.h>
#include "pool.h"

#define STROBE_WRITER_NAME "strobe-writer" /* name of the writer's program and process */

/* Makes the calling thread, the writer, hold the pool's word until the thread ends. Call it once in
 * a process. Returns 0 or an errno value. */
int strobe_writer_hold_word(struct pool_header *pool);

/* Has the writer ended? Any thread; may be called on the recording path. */
static inline int strobe_writer_is_gone(const struct pool_header *pool)
{
    const struct pool_control *control = &pool->control;

    return atomic_load_explicit(&control->writer_state, memory_order_relaxed) ==
               STROBE_WRITER_GONE ||
           (atomic_load_explicit(&control->writer, memory_order_relaxed) & FUTEX_OWNER_DIED);
}

#endif
