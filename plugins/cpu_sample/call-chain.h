/* SPDX-License-Identifier: Apache-2.0 */
/* Call chains as the kernel samples them, as stacks of interned frames. */
#ifndef STROBE_CPU_SAMPLE_CALL_CHAIN_H
#define STROBE_CPU_SAMPLE_CALL_CHAIN_H

#include <strobe/collector.h>

#include "address-space.h"
#include "kernel-symbols.h"
#include "python-frames.h"

typedef struct CallChains {
    const StrobeHost *host;
    KernelSymbols *kernel; /* NULL: its frames have no names */
    NumberTable kernel_frames;
    size_t frames_max; /* 0: as many as there is room for */
} CallChains;

/* Python frames that stand for the frames of their interpreter, and for what has called it. */
typedef struct PythonCallers {
    const CodeObject *interpreter;
    PythonStack *stack;
} PythonCallers;

/* The stack of the `n` addresses, innermost first, among which the kernel puts PERF_CONTEXT_*. A
 * chain ends at an address where the process has no code. `python` may be NULL. 0: it is empty. */
StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n, const PythonCallers *python);

/* Is a frame of the user's in that object? */
int call_chain_has(const AddressSpace *space, const uint64_t *addresses, size_t n,
                   const CodeObject *object);

/* To be called before chains are interned, until it returns 1: reads the names of the kernel's
 * functions, some milliseconds at once. */
int call_chains_prepare(CallChains *chains);

void call_chains_clear(CallChains *chains);

#endif
