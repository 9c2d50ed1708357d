/* SPDX-License-Identifier: Apache-2.0 */
/* Interned strings and stacks in the pool: lock-free, no allocation. libc only. */
#ifndef STROBE_CORE_INTERN_H
#define STROBE_CORE_INTERN_H

#include <stddef.h>
#include "pool.h"

#define STROBE_STRING_MAX (1u << 20)

/* Id of the empty text, which is different from "no text" (0). */
#define STROBE_EMPTY_STRING 1u

/* Initialises the table of a new pool. */
void strobe_pool_intern_begin(struct pool_header *header);

/* Returns the id of the bytes; adds them if they are not in the table. 0 if the table or its arena
 * is full. `is_stack`: the bytes are string ids of a call stack. Any thread. */
uint32_t strobe_pool_intern(struct pool_header *header, const void *bytes, size_t length,
                            int is_stack);

/* Returns the bytes of a published id; NULL if the id is out of range or not published (yet).
 * *length has bit 31 set for a stack. Checks every bound, so that a damaged pool is safe to
 * read. */
const char *strobe_pool_string(const struct pool_header *header, uint32_t id, uint32_t *length);

#endif
