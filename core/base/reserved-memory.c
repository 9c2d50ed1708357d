/* SPDX-License-Identifier: Apache-2.0 */
#include "reserved-memory.h"

#include <sys/mman.h>

void *strobe_memory_reserve(gsize bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

void strobe_memory_release(void *at, gsize bytes)
{
    if (at)
        munmap(at, bytes);
}
