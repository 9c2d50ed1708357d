/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of this plugin's own. */
#ifndef STROBE_PLUGINS_HEAP_KINDS_H
#define STROBE_PLUGINS_HEAP_KINDS_H

#include <strobe/record.h>

/* "heap.block": one allocation of a C library function, or its release; on the thread's track. */
struct heap_block {
    uint64_t address;
    int64_t size;        /* B; asked for, negative: given back */
    int64_t total;       /* B; of the recorded blocks that are allocated after it */
    double weight;       /* blocks like it that it stands for; 1 without sampling */
    StrobeStackId stack; /* call path of an allocation, 0: not asked for */
};

/* "heap.cost": what a window's recording of the heap took; of its begin, written at its end. */
struct heap_cost {
    uint64_t allocations; /* that were recorded */
    uint64_t releases;    /* of these */
    int64_t duration;     /* ns; in recording them, of all threads */
};

extern const StrobeKind heap_kind_block, heap_kind_cost;

#endif
