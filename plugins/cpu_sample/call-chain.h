/* SPDX-License-Identifier: Apache-2.0 */
/* Call chains as the kernel samples them, as stacks of interned frames. */
#ifndef STROBE_CPU_SAMPLE_CALL_CHAIN_H
#define STROBE_CPU_SAMPLE_CALL_CHAIN_H

#include <strobe/collector.h>

#include "address-space.h"
#include "kernel-symbols.h"

typedef struct CallChains {
    const StrobeHost *host;
    KernelSymbols *kernel;
    int has_read_kernel; /* they are read when the first frame of the kernel comes */
    NumberTable kernel_frames;
} CallChains;

/* The stack of the `n` addresses, innermost first, among which the kernel puts PERF_CONTEXT_*. A
 * chain ends at an address where the process has no code. 0: it is empty. */
StrobeStackId call_chain_intern(CallChains *chains, StrobeWriter *writer, const AddressSpace *space,
                                const uint64_t *addresses, size_t n);

void call_chains_clear(CallChains *chains);

#endif
