/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the writer of a pool is still there. libc only. */
#ifndef STROBE_CORE_WRITER_STATE_H
#define STROBE_CORE_WRITER_STATE_H

#include "pool.h"

#define STROBE_WRITER_NAME "strobe-writer" /* of its program and process */

/* Will the writer never do anything again? Any thread; calls the system. */
int strobe_writer_is_gone(struct pool_header *pool);
/* Has that been found out? On the recording path. */
static inline int strobe_writer_was_gone(const struct pool_header *pool)
{
    return atomic_load_explicit(&pool->control.writer_state, memory_order_relaxed) ==
           STROBE_WRITER_GONE;
}

#endif
