/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a window in the thread buffers, after the gate was shut and threads have left their critical
 * sections. libc only. */
#ifndef STROBE_CORE_THREAD_BUFFER_END_H
#define STROBE_CORE_THREAD_BUFFER_END_H

#include "pool.h"
#include "ring.h"

/* Hands over the window's data in the thread buffers: their blocks, and their open spans as
 * unfinished records in these blocks. A thread buffer with a stuck thread keeps its data. If no
 * block becomes free for a span, the span is counted as lost. */
void strobe_thread_buffers_end(struct pool_header *pool, uint32_t window, uint64_t end,
                               StrobeRing *ring);
/* Like strobe_thread_buffers_end, for the thread buffers of the other process that records into the
 * pool. That process must have ended. */
void strobe_thread_buffers_end_other(struct pool_header *pool, uint32_t window, uint64_t end);

#endif
