/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between memory.so and the part of the backend that reports a function's tensors.
 *
 * The calls may come from any thread; none throws, blocks or allocates. The backend lives as long
 * as the process, and so must the events.
 */
#ifndef STROBE_TORCH_TENSORS_H
#define STROBE_TORCH_TENSORS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_TORCH_TENSORS_SYMBOL "strobe_torch_tensors_1"

/* A CPU tensor among a function's inputs. */
typedef struct StrobeTorchTensor {
    uint64_t address; /* of the memory of its storage */
    uint64_t bytes;   /* size of that memory */
    uint32_t input;   /* number of the input; all tensors of a list have the same */
    uint8_t is_written;
    uint8_t is_leaf; /* it collects a gradient: mostly a parameter */
    uint16_t reserved;
} StrobeTorchTensor;

#define STROBE_TORCH_TENSORS_MAX 32 /* most tensors in one call; more come in further calls */

typedef struct StrobeTorchTensorEvents {
    uint32_t struct_size;
    uint32_t reserved;
    /* A function begins on the calling thread. The name is valid only during the call. */
    void (*used)(const char *function, const StrobeTorchTensor *tensors, size_t n);
} StrobeTorchTensorEvents;

typedef struct StrobeTorchTensors {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version against which it was compiled */

    /* Begins to report inputs. Control thread. Returns NULL, or the reason of a failure. */
    const char *(*enable)(const StrobeTorchTensorEvents *events);
    /* Stops reporting, except in callbacks that already run. Control thread. */
    void (*disable)(void);
} StrobeTorchTensors;

#if defined(__cplusplus)
}
#endif

#endif
