/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for state that grows with the live objects of an input. A small block is on the heap. A
 * large block is a mapped temporary file, whose pages the system writes out when memory is short.
 * If the disk has no room for the file, the block is on the heap too, within --max-mem. */
#ifndef STROBE_CORE_STATE_MEMORY_H
#define STROBE_CORE_STATE_MEMORY_H

#include <glib.h>

/* Resizes `block` from `old_bytes` to `bytes` (NULL and 0: makes a new block) and returns its new
 * address; new bytes are zero. 0 bytes: frees the block. Any thread. */
void *strobe_state_memory(void *block, gsize old_bytes, gsize bytes);

#endif
