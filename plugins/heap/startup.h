/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the program's allocations before the session, in the loader and in constructors, which run
 * before main. */
#ifndef STROBE_HEAP_STARTUP_H
#define STROBE_HEAP_STARTUP_H

#include "heap-gate.h"

typedef struct HeapStartupBlock {
    uint64_t address;
    int64_t size; /* negative: a release */
    int64_t total;
    double weight; /* as in heap.block */
    const void *caller;
} HeapStartupBlock;

/* Processes the startup events of the gate with the session's threshold and sampling, and adds the
 * blocks that are still allocated to the table of blocks. Returns the records, which the caller
 * frees. If there are no events, or were too many to store, returns NULL and sets *n and *total to
 * 0. Control thread, once in a process. */
HeapStartupBlock *heap_startup_follow(HeapGate *gate, uint64_t threshold, uint64_t interval,
                                      uint32_t *n, int64_t *total);

#endif
