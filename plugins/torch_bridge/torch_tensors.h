/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interface between memory.so and the part of the backend that reports a function's tensors.
 *
 * The calls may come from any thread; none throws, blocks or allocates. The backend lives as long
 * as the process, and the events must live as long.
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
    uint64_t address; /* address of its storage's memory */
    uint64_t bytes;   /* size of this memory */
    uint32_t input;   /* number of the input; all tensors of a list have the same number */
    uint8_t is_written;
    /* TRUE if a gradient is accumulated for the tensor, which is then mostly a parameter */
    uint8_t is_leaf;
    uint16_t reserved;
} StrobeTorchTensor;

#define STROBE_TORCH_TENSORS_MAX 32 /* maximum number of tensors in one call of `used` */

typedef struct StrobeTorchTensorEvents {
    uint32_t struct_size;
    uint32_t reserved;
    /* Called when a function with these tensors begins on the calling thread. The name is valid
     * only during the call. Called several times if there are more tensors than
     * STROBE_TORCH_TENSORS_MAX. */
    void (*used)(const char *function, const StrobeTorchTensor *tensors, size_t n);
} StrobeTorchTensorEvents;

typedef struct StrobeTorchTensors {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* version of PyTorch against which this was compiled */

    /* Begins to report inputs. Must be called on the control thread. Returns NULL, or the reason of
     * a failure. */
    const char *(*enable)(const StrobeTorchTensorEvents *events);
    /* Stops reporting, except in callbacks that are already running. Must be called on the control
     * thread. */
    void (*disable)(void);
} StrobeTorchTensors;

#if defined(__cplusplus)
}
#endif

#endif
