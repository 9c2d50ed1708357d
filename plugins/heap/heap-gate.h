/* SPDX-License-Identifier: Apache-2.0 */
/* Between heap.so and heap-preload.so, which `strobe run` preloads: the one stands in front of the
 * functions that allocate, the other records what they do while a session is open. */
#ifndef STROBE_PLUGINS_HEAP_GATE_H
#define STROBE_PLUGINS_HEAP_GATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_GATE_SYMBOL "strobe_heap_gate_1"

/* Valid for the life of the process once it has been put into a gate. What they call themselves is
 * not told. */
typedef struct HeapHooks {
    /* `caller`: where the function that allocated returns to. */
    void (*allocated)(const void *address, size_t size, const void *caller);
    /* The memory is about to be given back. Returns its size, 0 where that is not known. */
    size_t (*released)(const void *address);
    /* The same by a thread that is ending, for which nothing can be recorded any more. */
    void (*dropped)(const void *address);
} HeapHooks;

typedef struct HeapGate {
    uint32_t struct_size;
    uint32_t reserved;
    _Atomic(const HeapHooks *) hooks; /* NULL: nobody records */
} HeapGate;

#endif
