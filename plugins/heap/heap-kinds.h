/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds that this plugin declares. */
#ifndef STROBE_PLUGINS_HEAP_KINDS_H
#define STROBE_PLUGINS_HEAP_KINDS_H

#include <strobe/record.h>

/* "heap.block": one allocation of a C library function, or its release; on the thread's track. */
struct heap_block {
    uint64_t address;
    int64_t size;  /* B; requested size; negative: a release */
    int64_t total; /* B; sum of the recorded blocks that are allocated after this record */
    /* how many allocations of this size the record represents; 1 without sampling */
    double weight;
    StrobeStackId stack; /* call path of an allocation; 0: stacks=false */
};

/* "heap.cost": what recording the heap cost in a window. It has the time of the window's begin and
 * is written at its end. */
struct heap_cost {
    uint64_t allocations; /* recorded allocations */
    uint64_t releases;    /* recorded releases */
    int64_t duration;     /* ns; time that recording took, summed over all threads */
};

extern const StrobeKind heap_kind_block, heap_kind_cost;

#endif
