/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the files of heap-preload.so share: the functions of C and the operators of C++. */
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
    uint8_t is_busy;      /* inside a hook, or inside of the allocator */
    uint8_t n_ends;       /* how often the destructors have come round */
    const void *reported; /* what was told last, unless it has been given back */
    HeapSampler sampler;
} HeapThread;

extern API HeapGate strobe_heap_gate_1;
extern __thread HeapThread heap_thread HEAP_TLS;

/* The next functions of these names; the last may be NULL. */
extern void *(*heap_real_malloc)(size_t);
extern void (*heap_real_free)(void *);
extern void *(*heap_real_aligned_alloc)(size_t, size_t);

/* Finds all functions in front of which this stands. */
void heap_look_up(void);
void heap_operators_look_up(void);

/* Tells the hooks, which are open, of what the calling thread has done; the first returns `memory`,
 * which may be NULL, the second its size, 0: it is not known. */
void *heap_tell_allocated(const HeapHooks *hooks, void *memory, size_t size, const void *caller);
size_t heap_tell_released(const HeapHooks *hooks, void *memory);

#endif
