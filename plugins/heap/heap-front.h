/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the two files of heap-preload.so share: heap-preload.c with the functions of C,
 * and heap-operators.c with the operators of C++. */
#ifndef STROBE_PLUGINS_HEAP_FRONT_H
#define STROBE_PLUGINS_HEAP_FRONT_H

#include "heap-gate.h"

#define API __attribute__((visibility("default")))
#define HEAP_TLS __attribute__((tls_model("initial-exec")))

#define OPEN_HOOKS() atomic_load_explicit(&strobe_heap_gate_1.hooks, memory_order_acquire)
#define IS_SHUT(hooks_) __builtin_expect(!(hooks_), 1)
#define CALLER __builtin_return_address(0)

typedef struct HeapThread {
    uint8_t owner;
    uint8_t is_busy; /* the thread is in a hook or in the allocator */
    uint8_t n_ends;  /* number of rounds of destructors that have run */
    /* the memory whose allocation was reported last, unless it was released */
    const void *reported;
    HeapSampler sampler;
} HeapThread;

extern API HeapGate strobe_heap_gate_1;
extern __thread HeapThread heap_thread HEAP_TLS;

/* The original functions of these names; heap_real_aligned_alloc may be NULL. */
extern void *(*heap_real_malloc)(size_t);
extern void (*heap_real_free)(void *);
extern void *(*heap_real_aligned_alloc)(size_t, size_t);

/* Find all original functions that this library replaces. */
void heap_look_up(void);
void heap_operators_look_up(void);

/* Report an allocation or a release of the calling thread to `hooks`, which are not NULL. `memory`
 * may be NULL. heap_tell_allocated returns `memory`; heap_tell_released returns the size of
 * `memory`, or 0 if that is unknown. */
void *heap_tell_allocated(const HeapHooks *hooks, void *memory, size_t size, const void *caller);
size_t heap_tell_released(const HeapHooks *hooks, void *memory);

#endif
