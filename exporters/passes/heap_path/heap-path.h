/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of the heap_path pass, and the kind that it emits. */
#ifndef STROBE_PASSES_HEAP_PATH_H
#define STROBE_PASSES_HEAP_PATH_H

#include <strobe/exporter.h>

/* "heap_path": what one call path has allocated in a window, and what of that is there at its end;
 * named by the innermost function. With sampling all are estimates. */
struct heap_path {
    int64_t live_bytes;      /* B */
    int64_t most_bytes;      /* B; that were there at any one time */
    int64_t peak_bytes;      /* B; that were there when all paths together held most */
    int64_t allocated_bytes; /* B */
    int64_t live_blocks;
    int64_t allocated_blocks;
    StrobeStackId stack;
};

extern const StrobeKind heap_path_kind;
extern const StrobeConsumerOps heap_path_ops;

#endif
