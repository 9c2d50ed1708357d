/* SPDX-License-Identifier: Apache-2.0 */
/* Memory outside of the heap, for what grows to a known limit. */
#ifndef STROBE_CORE_RESERVED_MEMORY_H
#define STROBE_CORE_RESERVED_MEMORY_H

#include <glib.h>

/* Address space for all that may come; pages, large where that works, as they are used. NULL if it
 * is not to be had. */
void *strobe_memory_reserve(gsize bytes);
/* NULL: does nothing. */
void strobe_memory_release(void *at, gsize bytes);

#endif
