/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between heap-preload.so, which `strobe run` preloads, and heap.so, the plugin. The
 * preloaded library replaces the functions that allocate; the plugin records their calls while a
 * session is open. */
#ifndef STROBE_PLUGINS_HEAP_GATE_H
#define STROBE_PLUGINS_HEAP_GATE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HEAP_GATE_SYMBOL "strobe_heap_gate_1"

/* Sampling state of a thread. It is in the preloaded library, because the thread-local memory of
 * that library exists when a thread starts. The thread-local memory of the plugin, which is loaded
 * later, would be created at its first use, with an allocation and under the loader's lock. */
typedef struct HeapSampler {
    uint64_t interval; /* the interval with which `distance` was drawn */
    uint64_t random;
    double distance; /* number of bytes until the next allocation is chosen */
} HeapSampler;

/* The functions that heap-preload.so calls. A HeapHooks that was stored in a gate must stay valid
 * until the process ends. Allocations that the hooks make themselves are not reported. */
typedef struct HeapHooks {
    /* Is called after an allocation. `caller`: the address in the program to which malloc (or
     * another function that allocates) returns. */
    void (*allocated)(HeapSampler *sampler, const void *address, size_t size, const void *caller);
    /* Is called before the memory is released. Returns its size, or 0 if the size is unknown. */
    size_t (*released)(const void *address);
    /* Called instead of `released` in a thread that is ending and can no longer record. */
    void (*dropped)(const void *address);
} HeapHooks;

/* An allocation or a release of the program before a session could record it: in the loader, or in
 * constructors before main. */
typedef struct HeapStartupEvent {
    _Atomic(const void *) address; /* NULL: the event is not complete */
    size_t size;                   /* HEAP_GIVEN_BACK: the event is a release */
    const void *caller;
} HeapStartupEvent;

#define HEAP_GIVEN_BACK SIZE_MAX
#define HEAP_STARTUP_MAX 16384

typedef struct HeapGate {
    uint32_t struct_size;
    uint32_t reserved;
    /* NULL: no session records. At first this is `startup_hooks`, a mark without functions: the
     * preloaded library itself then stores the events in `startup`. If there are too many events,
     * the stored events are useless, and NULL replaces the mark. */
    _Atomic(const HeapHooks *) hooks;
    const HeapHooks *startup_hooks;
    const HeapStartupEvent *startup; /* HEAP_STARTUP_MAX events, in order */
    _Atomic uint32_t n_startup;
} HeapGate;

#endif
