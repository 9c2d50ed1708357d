/* SPDX-License-Identifier: Apache-2.0 */
/*
 * heap-preload.so: stands in front of the functions that allocate, of whatever library has them.
 *
 * It is in every process below `strobe run`, most of which record nothing: then a call costs one
 * load and a jump, but for the first ones, which are kept in case that a session begins. It
 * allocates nothing, takes no lock, and needs libc only.
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

#include "heap-gate.h"

#define API __attribute__((visibility("default")))

static HeapStartupEvent startup[HEAP_STARTUP_MAX];
static const HeapHooks startup_hooks; /* tells them from the plugin's; never called */

API HeapGate strobe_heap_gate_1 = {.struct_size = sizeof(HeapGate),
                                   .hooks = &startup_hooks,
                                   .startup_hooks = &startup_hooks,
                                   .startup = startup};

/* STROBE_ATTACHING_SYMBOL of strobe/plugin.h */
#define ATTACHING_SYMBOL "strobe_run_is_attaching"

enum { UNKNOWN, PROGRAM, OWN, ENDED };

static __thread struct {
    uint8_t owner;
    uint8_t is_busy; /* inside a hook, or inside of the allocator */
    uint8_t n_ends;  /* how often the destructors have come round */
    HeapSampler sampler;
} this_thread __attribute__((tls_model("initial-exec")));

/* ---- the functions in front of which this stands ---- */

static void *first_malloc(size_t size);
static void *first_calloc(size_t n, size_t size);
static void *first_realloc(void *memory, size_t size);
static void first_free(void *memory);

static void *(*real_malloc)(size_t) = first_malloc;
static void *(*real_calloc)(size_t, size_t) = first_calloc;
static void *(*real_realloc)(void *, size_t) = first_realloc;
static void (*real_free)(void *) = first_free;
static void *(*real_memalign)(size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void *(*real_valloc)(size_t);
static void *(*real_pvalloc)(size_t);

static const atomic_int not_attaching;
static const atomic_int *is_attaching = &not_attaching; /* of libstrobe-preload.so */

/* What the dynamic loader itself allocates while it looks them up. */
static _Alignas(16) char early[16384];
static _Atomic size_t early_used;
/* volatile: dlsym is declared as if it called nothing of ours, and so the stores could be left out.
 */
static __thread volatile int is_looking __attribute__((tls_model("initial-exec")));

static int is_early(const void *memory)
{
    return (uintptr_t)memory - (uintptr_t)early < sizeof early;
}

/* Each piece has its size in front of it. */
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

static void look_up(void)
{
    is_looking = 1;
    void *found[9];
    static const char *const names[] = {"malloc",         "calloc",   "realloc",
                                        "free",           "memalign", "aligned_alloc",
                                        "posix_memalign", "valloc",   "pvalloc"};
    for (int i = 0; i < 9; i++)
        found[i] = dlsym(RTLD_NEXT, names[i]);
    const atomic_int *attaching = dlsym(RTLD_DEFAULT, ATTACHING_SYMBOL);
    is_looking = 0;
    if (attaching)
        is_attaching = attaching;
    *(void **)&real_memalign = found[4];
    *(void **)&real_aligned_alloc = found[5];
    *(void **)&real_posix_memalign = found[6];
    *(void **)&real_valloc = found[7];
    *(void **)&real_pvalloc = found[8];
    *(void **)&real_calloc = found[1];
    *(void **)&real_realloc = found[2];
    *(void **)&real_free = found[3];
    *(void **)&real_malloc = found[0];
}

static void *first_malloc(size_t size)
{
    if (is_looking)
        return early_malloc(size);
    look_up();
    return real_malloc(size);
}

static void *first_calloc(size_t n, size_t size)
{
    if (is_looking)
        return early_malloc(n * size); /* the loader's own small ones; never used before */
    look_up();
    return real_calloc(n, size);
}

static void *first_realloc(void *memory, size_t size)
{
    if (is_looking)
        return NULL;
    look_up();
    return real_realloc(memory, size);
}

static void first_free(void *memory)
{
    if (is_looking)
        return;
    look_up();
    real_free(memory);
}

/* ---- telling ---- */

static pthread_key_t end_key;

/* A thread's last releases come after all destructors, when nothing would give back what recording
 * them took. Destructors come round a few times, as long as one has set its value again: in the
 * last round ours says that it is over. It was the first to be made, so it is among the first. */
static void note_end(void *value)
{
    if (++this_thread.n_ends < PTHREAD_DESTRUCTOR_ITERATIONS)
        pthread_setspecific(end_key, value);
    else
        this_thread.owner = ENDED;
}

static __attribute__((constructor)) void make_key(void)
{
    pthread_key_create(&end_key, note_end);
}

/* Strobe names its own threads so. */
static void find_owner(void)
{
    char name[17] = "";

    prctl(PR_GET_NAME, name);
    this_thread.owner = strncmp(name, "strobe-", 7) == 0 ? OWN : PROGRAM;
    if (this_thread.owner == PROGRAM)
        pthread_setspecific(end_key, &this_thread);
}

#define OPEN_HOOKS() atomic_load_explicit(&strobe_heap_gate_1.hooks, memory_order_acquire)
#define IS_SHUT(hooks_) __builtin_expect(!(hooks_), 1)

/* Is what this thread does now the program's? Then it is not, until leave(). */
static int enter(void)
{
    if (this_thread.is_busy)
        return 0;
    this_thread.is_busy = 1;
    if (this_thread.owner == UNKNOWN)
        find_owner();
    if (this_thread.owner == PROGRAM)
        return 1;
    this_thread.is_busy = 0;
    return 0;
}

static void leave(void)
{
    this_thread.is_busy = 0;
}

/* Before a session can begin nothing may be called that the C library has not made ready yet. */
static void keep(const void *memory, size_t size, const void *caller)
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

static __attribute__((noinline)) void *tell_allocated(const HeapHooks *hooks, void *memory,
                                                      size_t size, const void *caller)
{
    int saved = errno;

    if (hooks == &startup_hooks) {
        if (memory)
            keep(memory, size, caller);
    } else if (memory && enter()) {
        hooks->allocated(&this_thread.sampler, memory, size, caller);
        leave();
    }
    errno = saved;
    return memory;
}

static __attribute__((noinline)) size_t tell_released(const HeapHooks *hooks, void *memory)
{
    int saved = errno;
    size_t size = 0;

    if (hooks == &startup_hooks) {
        if (memory)
            keep(memory, HEAP_GIVEN_BACK, NULL);
    } else if (memory && enter()) {
        size = hooks->released(memory);
        leave();
    } else if (memory && this_thread.owner == ENDED) {
        hooks->dropped(memory);
    }
    errno = saved;
    return size;
}

/* ---- in front ---- */

#define CALLER __builtin_return_address(0)

API void *malloc(size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (IS_SHUT(hooks))
        return real_malloc(size);
    return tell_allocated(hooks, real_malloc(size), size, CALLER);
}

API void *calloc(size_t n, size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (IS_SHUT(hooks))
        return real_calloc(n, size);
    return tell_allocated(hooks, real_calloc(n, size), n * size, CALLER);
}

API void free(void *memory)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (__builtin_expect(is_early(memory), 0))
        return;
    if (!IS_SHUT(hooks))
        tell_released(hooks, memory);
    real_free(memory);
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
    /* told before, since another thread may have the memory at once */
    size_t old = tell_released(hooks, memory);
    void *moved = real_realloc(memory, size);
    if (!moved && size && old)
        tell_allocated(hooks, memory, old, CALLER); /* it is there still */
    return tell_allocated(hooks, moved, size, CALLER);
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

/* Those that few programs use; an allocator need not have them all. */
#define ALIGNED(name_, parameters_, arguments_)                                                    \
    API void *name_ parameters_                                                                    \
    {                                                                                              \
        const HeapHooks *hooks = OPEN_HOOKS();                                                     \
        if (!real_##name_)                                                                         \
            look_up();                                                                             \
        if (!real_##name_) {                                                                       \
            errno = ENOMEM;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        void *memory = real_##name_ arguments_;                                                    \
        return IS_SHUT(hooks) ? memory : tell_allocated(hooks, memory, size, CALLER);              \
    }

ALIGNED(memalign, (size_t alignment, size_t size), (alignment, size))
ALIGNED(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
ALIGNED(valloc, (size_t size), (size))
ALIGNED(pvalloc, (size_t size), (size))

API int posix_memalign(void **memory, size_t alignment, size_t size)
{
    const HeapHooks *hooks = OPEN_HOOKS();
    if (!real_posix_memalign)
        look_up();
    if (!real_posix_memalign)
        return ENOMEM;
    int error = real_posix_memalign(memory, alignment, size);
    if (!error && !IS_SHUT(hooks))
        tell_allocated(hooks, *memory, size, CALLER);
    return error;
}
