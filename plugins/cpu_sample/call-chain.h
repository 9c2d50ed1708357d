/* SPDX-License-Identifier: Apache-2.0 */
/* Call chains as the kernel samples them, as stacks of interned frames. */
#ifndef STROBE_CPU_SAMPLE_CALL_CHAIN_H
#define STROBE_CPU_SAMPLE_CALL_CHAIN_H

#include <strobe/collector.h>

#include "address-space.h"
#include "kernel-symbols.h"

typedef struct CallChains {
    const StrobeHost *host;
    KernelSymbols *kernel; /* NULL: its frames have no names */
    NumberTable kernel_frames;
} CallChains;

/* The stack of the `n` addresses, innermost first, among which the kernel puts PERF_CONTEXT_*. A
 * chain ends at an address where the process has no code. 0: it is empty. */
StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n);

/* To be called before chains are interned, until it returns 1: reads the names of the kernel's
 * functions, some milliseconds at once. */
int call_chains_prepare(CallChains *chains);

void call_chains_clear(CallChains *chains);

#endif
