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

/* A tensor of the host among a function's inputs. */
typedef struct StrobeTorchTensor {
    uint64_t address; /* of its storage's memory */
    uint64_t bytes;   /* of that */
    uint32_t input;   /* number of the input; tensors of a list have the same */
    uint8_t is_written;
    uint8_t is_leaf; /* a gradient is gathered for it: a parameter, as a rule */
    uint16_t reserved;
} StrobeTorchTensor;

#define STROBE_TORCH_TENSORS_MAX 32 /* told at once; of more in pieces */

typedef struct StrobeTorchTensorEvents {
    uint32_t struct_size;
    uint32_t reserved;
    /* A function begins, in the calling thread. The name is valid during the call only. */
    void (*used)(const char *function, const StrobeTorchTensor *tensors, size_t n);
} StrobeTorchTensorEvents;

typedef struct StrobeTorchTensors {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* that it was compiled against */

    /* Inputs are told from here on. Control thread. Returns NULL, or why not. */
    const char *(*enable)(const StrobeTorchTensorEvents *events);
    /* No more are, but for those already on their way. Control thread. */
    void (*disable)(void);
} StrobeTorchTensors;

#if defined(__cplusplus)
}
#endif

#endif
