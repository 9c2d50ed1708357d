/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of the program before the session: in constructors, which run before main. */
#ifndef STROBE_HEAP_STARTUP_H
#define STROBE_HEAP_STARTUP_H

#include "heap-gate.h"

typedef struct HeapStartupBlock {
    uint64_t address;
    int64_t size; /* negative: given back */
    int64_t total;
    double weight; /* as in heap.block */
    const void *caller;
} HeapStartupBlock;

/* Follows what the gate has kept, with the threshold and sampling of the session, and puts what is
 * left into the table of blocks. To be freed; NULL, *n 0 and *total 0: there is nothing, or more
 * than was kept. Control thread, once a process. */
HeapStartupBlock *heap_startup_follow(HeapGate *gate, uint64_t threshold, uint64_t interval,
                                      uint32_t *n, int64_t *total);

#endif
