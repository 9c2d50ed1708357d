/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the mock hosts of importers and consumers: if memory runs out, the test ends. */
#ifndef STROBE_CHECK_MOCK_MEMORY_H
#define STROBE_CHECK_MOCK_MEMORY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void *mock_must(void *memory)
{
    if (!memory) {
        fputs("mock host: out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* Returns a copy of the bytes, followed by a NUL. */
static inline char *mock_copy(const char *bytes, size_t length)
{
    char *copy = mock_must(malloc(length + 1));

    if (length)
        memcpy(copy, bytes, length);
    copy[length] = '\0';
    return copy;
}

#endif
