/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between cpu_op.so and its backend, the only part that is compiled against libtorch.
 *
 * The backend turns RecordFunction callbacks into plain C calls; everything else (spans, names,
 * losses) is cpu_op.so's. All calls into cpu_op.so may come from any thread, and none of them
 * throws, blocks or, in steady state, allocates. The backend lives as long as the process.
 */
#ifndef STROBE_TORCH_BACKEND_H
#define STROBE_TORCH_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_TORCH_BACKEND_SYMBOL "strobe_torch_backend_1"

/* What libtorch says of a function. The texts are valid during the call only. */
typedef struct StrobeTorchOperator {
    const char *name; /* any bytes; not set when the function ends */
    size_t name_length;
    const char *shapes; /* "2,3;;4"; set at the begin if inputs are asked for */
    size_t shapes_length;
    const char *types; /* "float;Scalar;None" */
    size_t types_length;
    int64_t sequence;
    uint64_t forward_thread;
    uint8_t scope; /* at::RecordScope */
} StrobeTorchOperator;

/* Bytes at the head of an asynchronous function's memory that belong to the backend. */
#define STROBE_TORCH_CONTEXT_SIZE 64

typedef struct StrobeTorchEvents {
    uint32_t struct_size;
    uint32_t reserved;

    /* A function begins and ends on one thread; `key` tells it from all others that run. */
    void (*begin)(const void *key, const StrobeTorchOperator *function);
    void (*end)(const void *key, const StrobeTorchOperator *function);

    /* A function that may end on another thread. begin_async returns memory for it, 16-byte
     * aligned, whose head is the backend's; NULL when it is not recorded. Each memory is given back
     * by one free_async, whether or not the function ended. */
    void *(*begin_async)(const StrobeTorchOperator *function);
    void (*end_async)(void *memory, const StrobeTorchOperator *function);
    void (*free_async)(void *memory);
} StrobeTorchEvents;

typedef struct StrobeTorchBackend {
    uint32_t struct_size;
    uint32_t reserved;
    const char *torch_version; /* that it was compiled against */

    /* Functions are reported from here on. `events` stays valid. Returns NULL, or why not. */
    const char *(*enable)(const StrobeTorchEvents *events, int with_inputs);
    /* No more begins are reported, but for those already on their way; ends still are. */
    void (*disable)(void);
} StrobeTorchBackend;

#if defined(__cplusplus)
}
#endif

#endif
