/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap-preload.so: replaces the functions that allocate, and calls the original ones, of the C
 * library or of another allocator.
 *
 * It is loaded into every process that `strobe run` starts, and most of them record nothing. A call
 * then costs one load and a jump. Only the first calls cost more: they are stored in case a session
 * begins. The library allocates nothing, takes no lock, and needs libc only.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "heap-front.h"

static HeapStartupEvent startup[HEAP_STARTUP_MAX];
static const HeapHooks startup_hooks; /* its address means: no session yet; never called */

API HeapGate strobe_heap_gate_1 = {.struct_size = sizeof(HeapGate),
                                   .hooks = &startup_hooks,
                                   .startup_hooks = &startup_hooks,
                                   .startup = startup};

/* STROBE_ATTACHING_SYMBOL of strobe/plugin.h */
#define ATTACHING_SYMBOL "strobe_run_is_attaching"

enum { UNKNOWN, PROGRAM, OWN, ENDED };

__thread HeapThread heap_thread HEAP_TLS;

/* ---- the original functions ---- */

static void *first_malloc(size_t size);
static void *first_calloc(size_t n, size_t size);
static void *first_realloc(void *memory, size_t size);
static void first_free(void *memory);

void *(*heap_real_malloc)(size_t) = first_malloc;
static void *(*real_calloc)(size_t, size_t) = first_calloc;
static void *(*real_realloc)(void *, size_t) = first_realloc;
void (*heap_real_free)(void *) = first_free;
static void *(*real_memalign)(size_t, size_t);
void *(*heap_real_aligned_alloc)(size_t, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void *(*real_valloc)(size_t);
static void *(*real_pvalloc)(size_t);

static const atomic_int not_attaching;
/* the flag of libstrobe-preload.so, if that library is loaded */
static const atomic_int *is_attaching = &not_attaching;

/* Memory for the dynamic loader's own allocations while it looks up the functions. */
static _Alignas(16) char early[16384];
static _Atomic size_t early_used;
/* volatile: the compiler assumes that dlsym calls no function of this file, so it could omit the
 * stores. */
static __thread volatile int is_looking HEAP_TLS;

static int is_looked_up; /* an allocator may lack some functions; this avoids looking them up again
                            under the loader's lock */

static int is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

/* Allocates from `early`. Stores the size of each block 16 bytes before the block. */
static void *early_malloc(size_t size)
{
    size_t needed = (size + 31) & ~(size_t)15;
    if (size > sizeof early)
        return NULL;
    size_t at = atomic_fetch_add(&early_used, needed);
    if (at + needed > sizeof early)
        return NULL;
    memcpy(early + at, &size, sizeof size);
    return early + at + 16;
}

static size_t early_size(const void *memory)
{
    size_t size;
    memcpy(&size, (const char *)memory - 16, sizeof size);
    return size;
}

void heap_look_up(void)
{
    is_looking = 1;
    void *found[9];
    static const char *const names[] = {"malloc",         "calloc",   "realloc",
                                        "free",           "memalign", "aligned_alloc",
                                        "posix_memalign", "valloc",   "pvalloc"};
    for (int i = 0; i < 9; i++)
        found[i] = dlsym(RTLD_NEXT, names[i]);
    const atomic_int *attaching = dlsym(RTLD_DEFAULT, ATTACHING_SYMBOL);
    heap_operators_look_up();
    is_looking = 0;
    if (attaching)
        is_attaching = attaching;
    *(void **)&real_memalign = found[4];
    *(void **)&heap_real_aligned_alloc = found[5];
    *(void **)&real_posix_memalign = found[6];
    *(void **)&real_valloc = found[7];
    *(void **)&real_pvalloc = found[8];
    *(void **)&real_calloc = found[1];
    *(void **)&real_realloc = found[2];
    *(void **)&heap_real_free = found[3];
    *(void **)&heap_real_malloc = found[0];
    is_looked_up = 1;
}

static void *first_malloc(size_t size)
{
    if (is_looking)
        return early_malloc(size);
    heap_look_up();
    return heap_real_malloc(size);
}

static void *first_calloc(size_t n, size_t size)
{
    if (is_looking)
        return early_malloc(n * size); /* small, so no overflow; never used before, so zero */
    heap_look_up();
    return real_calloc(n, size);
}

static void *first_realloc(void *memory, size_t size)
{
    if (is_looking)
        return NULL;
    heap_look_up();
    return real_realloc(memory, size);
}

static void first_free(void *memory)
{
    if (is_looking)
        return;
    heap_look_up();
    heap_real_free(memory);
}

/* ---- reporting to the hooks ---- */

static pthread_key_t end_key;

/* The last releases of a thread come after all its destructors. Memory that is allocated then to
 * record them could not be freed. The C library runs the destructors again, up to
 * PTHREAD_DESTRUCTOR_ITERATIONS times, as long as one of them sets its value again. In the last
 * round this destructor marks the thread as ended. Its key was created first, so it is among the
 * first destructors of the round. */
static void note_end(void *value)
{
    if (++heap_thread.n_ends < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, value);
    else
        heap_thread.owner = ENDED;
}

static __attribute__((constructor)) void make_key(void)
{
    pthread_key_create(&end_key, note_end);
}

/* Determines whether the thread belongs to the program. Strobe's own threads have names that begin
 * with "strobe-". */
static void find_owner(void)
{
    char name[17] = "";

    prctl(PR_GET_NAME, name);
    heap_thread.owner = strncmp(name, "strobe-", 7) == 0 ? OWN : PROGRAM;
    if (heap_thread.owner == PROGRAM)
        pthread_setspecific(end_key, &heap_thread);
}

/* Returns whether the call must be recorded: the thread belongs to the program and is not in a
 * hook. If so, other calls of this thread are not recorded until leave_hook(). */
static int enter_hook(void)
{
    if (heap_thread.is_busy)
        return 0;
    heap_thread.is_busy = 1;
    if (heap_thread.owner == UNKNOWN)
        find_owner();
    if (heap_thread.owner == PROGRAM)
        return 1;
    heap_thread.is_busy = 0;
    return 0;
}

static void leave_hook(void)
{
    heap_thread.is_busy = 0;
}

/* Stores an event that comes before the session. Calls no function, because the C library may not
 * be initialized yet. */
static void keep_startup(const void *memory, size_t size, const void *caller)
{
    if (*is_attaching)
        return;
    uint32_t i = atomic_fetch_add_explicit(&strobe_heap_gate_1.n_startup, 1, memory_order_relaxed);
    const HeapHooks *own = &startup_hooks;

    if (i >= HEAP_STARTUP_MAX) {
        atomic_compare_exchange_strong(&strobe_heap_gate_1.hooks, &own, NULL);
        return;
    }
    startup[i].size = size;
    startup[i].caller = caller;
    atomic_store_explicit(&startup[i].address, memory, memory_order_release);
}

void *heap_tell_allocated(const HeapHooks *hooks, void *memory, size_t size, const void *caller)
{
    int saved = errno;

    heap_thread.reported = memory;
    if (hooks == &startup_hooks) {
        if (memory)
            keep_startup(memory, size, caller);
    } else if (memory && enter_hook()) {
        hooks->allocated(&heap_thread.sampler, memory, size, caller);
        leave_hook();
    }
    errno = saved;
    return memory;
}

size_t heap_tell_released(const HeapHooks *hooks, void *memory)
{
    int saved = errno;
    size_t size = 0;

    if (heap_thread.reported == memory)
        heap_thread.reported = NULL;
    if (hooks == &startup_hooks) {
        if (memory)
            keep_startup(memory, HEAP_GIVEN_BACK, NULL);
    } else if (memory && enter_hook()) {
        size = hooks->released(memory);
        leave_hook();
    } else if (memory && heap_thread.owner == ENDED) {
        hooks->dropped(memory);
    }
    errno = saved;
    return size;
}

/* ---- the functions that replace the originals ---- */

API void *malloc(size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (IS_SHUT(hooks))
        return heap_real_malloc(size);
    return heap_tell_allocated(hooks, heap_real_malloc(size), size, CALLER);
}

API void *calloc(size_t n, size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (IS_SHUT(hooks))
        return real_calloc(n, size);
    return heap_tell_allocated(hooks, real_calloc(n, size), n * size, CALLER);
}

API void free(void *memory)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (__builtin_expect(is_early(memory), 0))
        return;
    if (!IS_SHUT(hooks))
        heap_tell_released(hooks, memory);
    heap_real_free(memory);
}

static void *move_early(const void *memory, size_t size)
{
    size_t old = early_size(memory);
    void *moved = malloc(size);
    return moved ? memcpy(moved, memory, old < size ? old : size) : NULL;
}

API void *realloc(void *memory, size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (__builtin_expect(is_early(memory), 0))
        return move_early(memory, size);
    if (IS_SHUT(hooks))
        return real_realloc(memory, size);
    /* the release is reported first, because another thread may get the memory at once */
    size_t old = heap_tell_released(hooks, memory);
    void *moved = real_realloc(memory, size);
    if (!moved && size && old)
        /* realloc failed, so the old block is still allocated */
        heap_tell_allocated(hooks, memory, old, CALLER);
    return heap_tell_allocated(hooks, moved, size, CALLER);
}

API void *reallocarray(void *memory, size_t n, size_t size)
{
    size_t whole;
    if (__builtin_mul_overflow(n, size, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(memory, whole);
}

/* Functions that few programs use; an allocator may lack some of them. */
#define ALIGNED(name_, real_, parameters_, arguments_)                                             \
    API void *name_ parameters_                                                                    \
    {                                                                                              \
        const HeapHooks *hooks = OPEN_HOOKS();                                                     \
        if (!is_looked_up)                                                                         \
            heap_look_up();                                                                        \
        if (!real_) {                                                                              \
            errno = ENOMEM;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        void *memory = real_ arguments_;                                                           \
        return IS_SHUT(hooks) ? memory : heap_tell_allocated(hooks, memory, size, CALLER);         \
    }

ALIGNED(memalign, real_memalign, (size_t alignment, size_t size), (alignment, size))
ALIGNED(aligned_alloc, heap_real_aligned_alloc, (size_t alignment, size_t size), (alignment, size))
ALIGNED(valloc, real_valloc, (size_t size), (size))
ALIGNED(pvalloc, real_pvalloc, (size_t size), (size))

API int posix_memalign(void **memory, size_t alignment, size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (!is_looked_up)
        heap_look_up();
    if (!real_posix_memalign)
        return ENOMEM;
    int error = real_posix_memalign(memory, alignment, size);
    if (!error && !IS_SHUT(hooks))
        heap_tell_allocated(hooks, *memory, size, CALLER);
    return error;
}
