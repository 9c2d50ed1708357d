/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the heap_path pass, and the kind of its records. */
#ifndef STROBE_PASSES_HEAP_PATH_H
#define STROBE_PASSES_HEAP_PATH_H

#include <strobe/exporter.h>

/* "heap_path": the memory that one call path allocated in a window, and how much of it was not
 * released in the window. The record's name is the innermost function. With sampling all values are
 * estimates. */
struct heap_path {
    int64_t live_bytes; /* B */
    int64_t most_bytes; /* B; the maximum that was allocated at one time */
    /* B; what the path held when the memory of all paths together was largest */
    int64_t peak_bytes;
    int64_t allocated_bytes; /* B */
    int64_t live_blocks;
    int64_t allocated_blocks;
    StrobeStackId stack;
};

extern const StrobeKind heap_path_kind;
extern const StrobeConsumerOps heap_path_ops;

#endif
