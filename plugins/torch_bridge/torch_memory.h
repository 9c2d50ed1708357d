/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between memory.so and the part of the backend that wraps PyTorch's CPU allocator.
 *
 * The backend turns each allocation and each release into one plain C call. The calls may come from
 * any thread; none throws, blocks or allocates. The backend lives as long as the process, and so
 * must the events.
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

    /* `size` bytes were allocated at `address`, as requested. Not called for NULL. */
    void (*allocated)(const void *address, size_t size);
    /* The memory is about to be released. Also called for memory whose allocation was not reported,
     * but not for NULL. */
    void (*released)(const void *address);
} StrobeTorchMemoryEvents;

typedef struct StrobeTorchMemory {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version of PyTorch against which this was compiled */

    /* Wraps the present allocator, unless it is already wrapped, and reports allocations from now
     * on. Control thread. Returns NULL, or the reason of a failure. */
    const char *(*attach)(const StrobeTorchMemoryEvents *events);
    /* Restores the wrapped allocator, unless the program has set another one since. Releases of
     * memory that the wrapper allocated are still reported, at any later time. Control thread. */
    void (*detach)(void);
} StrobeTorchMemory;

#if defined(__cplusplus)
}
#endif

#endif
