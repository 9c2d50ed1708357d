/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between memory.so and the part of the backend in front of PyTorch's CPU allocator.
 *
 * The backend lies between the allocator and its callers, and turns each allocation and release
 * into one plain C call. The calls may come from any thread; none throws, blocks or allocates. The
 * backend lives as long as the process, and so must the events.
 */
#ifndef STROBE_TORCH_MEMORY_H
#define STROBE_TORCH_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_TORCH_MEMORY_SYMBOL "strobe_torch_memory_1"

typedef struct StrobeTorchMemoryEvents {
    uint32_t struct_size;
    uint32_t reserved;

    /* Neither is told of NULL. `size` bytes, as they were asked for, are at `address`. */
    void (*allocated)(const void *address, size_t size);
    /* The memory is about to be given back; also that of which no allocation was told. */
    void (*released)(const void *address);
} StrobeTorchMemoryEvents;

typedef struct StrobeTorchMemory {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* that it was compiled against */

    /* Stands before the allocator in use, if it does not already: what is allocated from here on is
     * told. Control thread. Returns NULL, or why not. */
    const char *(*attach)(const StrobeTorchMemoryEvents *events);
    /* Restores the allocator unless another one has been set meanwhile. Releases of memory that
     * was allocated in between are still reported, at any time. Control thread. */
    void (*detach)(void);
} StrobeTorchMemory;

#if defined(__cplusplus)
}
#endif

#endif
