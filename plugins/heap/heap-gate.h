/* SPDX-License-Identifier: Apache-2.0 */
/* Between heap.so and heap-preload.so, which `strobe run` preloads: the one stands in front of the
 * functions that allocate, the other records what they do while a session is open. */
#ifndef STROBE_PLUGINS_HEAP_GATE_H
#define STROBE_PLUGINS_HEAP_GATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_GATE_SYMBOL "strobe_heap_gate_1"

/* Sampling state of a thread. It is in the library in front, whose thread-local memory exists
 * from the thread's beginning. The thread-local memory of a library that is loaded later is made
 * on first use, by an allocation and under the loader's lock. */
typedef struct HeapSampler {
    uint64_t interval; /* for which the distance was drawn */
    uint64_t random;
    double distance; /* bytes to the next one that is chosen */
} HeapSampler;

/* Valid for the life of the process once it has been put into a gate. What they call themselves is
 * not told. */
typedef struct HeapHooks {
    /* `caller`: where the function that allocated returns to. */
    void (*allocated)(HeapSampler *sampler, const void *address, size_t size, const void *caller);
    /* The memory is about to be given back. Returns its size, 0 where that is not known. */
    size_t (*released)(const void *address);
    /* The same by a thread that is ending, for which nothing can be recorded any more. */
    void (*dropped)(const void *address);
} HeapHooks;

/* An allocation of the program before a session could record: in the loader or in constructors
 * before main. */
typedef struct HeapStartupEvent {
    _Atomic(const void *) address; /* NULL: not complete */
    size_t size;                   /* HEAP_GIVEN_BACK: a release */
    const void *caller;
} HeapStartupEvent;

#define HEAP_GIVEN_BACK SIZE_MAX
#define HEAP_STARTUP_MAX 16384

typedef struct HeapGate {
    uint32_t struct_size;
    uint32_t reserved;
    /* NULL: no session records. At first it has the hooks that keep events for `startup`. If
     * there are too many events, they are useless, and NULL replaces the hooks. */
    _Atomic(const HeapHooks *) hooks;
    const HeapHooks *startup_hooks;
    const HeapStartupEvent *startup; /* HEAP_STARTUP_MAX, in order */
    _Atomic uint32_t n_startup;
} HeapGate;

#endif
