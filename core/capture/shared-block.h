/* SPDX-License-Identifier: Apache-2.0 */
/* Reference-counted memory of a block, from which records are read. */
#ifndef STROBE_CORE_SHARED_BLOCK_H
#define STROBE_CORE_SHARED_BLOCK_H

#include <glib.h>

typedef struct StrobeBlockMemory {
    gint refs; /* atomic */
    gsize size;
    char *bytes;      /* aligned to 8 */
    GSList *appendix; /* see strobe_block_memory_append */
} StrobeBlockMemory;

/* Adds or removes a reference; the last removal frees the memory. Any thread; NULL is allowed. */
StrobeBlockMemory *strobe_block_memory_ref(StrobeBlockMemory *memory);
void strobe_block_memory_unref(gpointer memory);

/* Returns memory for another block and takes over the reference `memory` (NULL: none). Returns
 * `memory` itself if it is large enough and there is no other reference. */
StrobeBlockMemory *strobe_block_memory_renew(StrobeBlockMemory *memory, gsize size);

/* Appends zeroed bytes, which are freed with the memory. Only one thread may append. */
gpointer strobe_block_memory_append(StrobeBlockMemory *memory, gsize n);

#endif
