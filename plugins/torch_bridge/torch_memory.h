/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between memory.so and the part of the backend that wraps PyTorch's CPU allocator.
 *
 * The backend makes one C call for each allocation and each release. The calls may come from any
 * thread; none throws, blocks or allocates. The backend lives as long as the process, and the
 * events must live as long.
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

    /* Is called after `size` bytes, as requested, were allocated at `address`. Is not called for
     * NULL. */
    void (*allocated)(const void *address, size_t size);
    /* Is called before the memory is released, even if its allocation was not reported. Is not
     * called for NULL. */
    void (*released)(const void *address);
} StrobeTorchMemoryEvents;

typedef struct StrobeTorchMemory {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version of PyTorch against which this was compiled */

    /* Wraps the present allocator, unless it is already wrapped. From now on allocations are
     * reported. Must be called on the control thread. Returns NULL, or the reason of a failure. */
    const char *(*attach)(const StrobeTorchMemoryEvents *events);
    /* Restores the wrapped allocator, unless the program has set another one meanwhile. Releases of
     * memory that the wrapper allocated are still reported later. Must be called on the control
     * thread. */
    void (*detach)(void);
} StrobeTorchMemory;

#if defined(__cplusplus)
}
#endif

#endif
