/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the call chains that the kernel samples to stacks of interned frames. */
#ifndef STROBE_CPU_SAMPLE_CALL_CHAIN_H
#define STROBE_CPU_SAMPLE_CALL_CHAIN_H

#include <strobe/collector.h>

#include "address-space.h"
#include "kernel-symbols.h"
#include "python-frames.h"

typedef struct CallChains {
    const StrobeHost *host;
    KernelSymbols *kernel; /* NULL: no memory; the kernel's frames have no names */
    NumberTable kernel_frames;
    size_t frames_max; /* 0: limited only by the buffer's size */
} CallChains;

/* Python frames that replace the frames of their interpreter and of the callers of the
 * interpreter. */
typedef struct PythonCallers {
    const CodeObject *interpreter;
    PythonStack *stack;
} PythonCallers;

/* Returns the stack of the `n` addresses, innermost first; the kernel's PERF_CONTEXT_* markers are
 * between the addresses. The stack ends at an address where the process has no code. `python` may
 * be NULL. Returns 0 if the stack is empty. */
StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n, const PythonCallers *python);

/* Returns whether a user-space frame of the chain is in the code of `object`. */
int call_chain_has(const AddressSpace *space, const uint64_t *addresses, size_t n,
                   const CodeObject *object);

/* Reads a part of the names of the kernel's functions, which takes some milliseconds. The caller
 * must repeat the call until it returns 1, and must not call call_chain_intern before. */
int call_chains_prepare(CallChains *chains);

void call_chains_clear(CallChains *chains);

#endif
