/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Replaces the operators new and delete, by the names that C++ compilers give them if size_t is a
 * long.
 *
 * The operators of a C++ runtime call malloc and free. The operators here call malloc and free
 * directly instead (`is_direct`), so that a call path ends at the caller of new. When memory runs
 * out they call the runtime's operator, which calls the program's new_handler and throws. The
 * operators of other allocators do not call malloc, so the operators here call these operators. An
 * exception can pass through this code, because there is nothing to clean up.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "heap-front.h"

enum {
    NEW,
    NEW_ARRAY,
    NEW_NOTHROW,
    NEW_ARRAY_NOTHROW,
    NEW_ALIGNED,
    NEW_ARRAY_ALIGNED,
    NEW_ALIGNED_NOTHROW,
    NEW_ARRAY_ALIGNED_NOTHROW,
    DELETE,
    DELETE_ARRAY,
    DELETE_SIZED,
    DELETE_ARRAY_SIZED,
    DELETE_NOTHROW,
    DELETE_ARRAY_NOTHROW,
    DELETE_ALIGNED,
    DELETE_ARRAY_ALIGNED,
    DELETE_ALIGNED_NOTHROW,
    DELETE_ARRAY_ALIGNED_NOTHROW,
    DELETE_SIZED_ALIGNED,
    DELETE_ARRAY_SIZED_ALIGNED,
    N_OPERATORS
};

#define NAME_NEW "_Znwm"
#define NAME_NEW_ARRAY "_Znam"
#define NAME_NEW_NOTHROW "_ZnwmRKSt9nothrow_t"
#define NAME_NEW_ARRAY_NOTHROW "_ZnamRKSt9nothrow_t"
#define NAME_NEW_ALIGNED "_ZnwmSt11align_val_t"
#define NAME_NEW_ARRAY_ALIGNED "_ZnamSt11align_val_t"
#define NAME_NEW_ALIGNED_NOTHROW "_ZnwmSt11align_val_tRKSt9nothrow_t"
#define NAME_NEW_ARRAY_ALIGNED_NOTHROW "_ZnamSt11align_val_tRKSt9nothrow_t"
#define NAME_DELETE "_ZdlPv"
#define NAME_DELETE_ARRAY "_ZdaPv"
#define NAME_DELETE_SIZED "_ZdlPvm"
#define NAME_DELETE_ARRAY_SIZED "_ZdaPvm"
#define NAME_DELETE_NOTHROW "_ZdlPvRKSt9nothrow_t"
#define NAME_DELETE_ARRAY_NOTHROW "_ZdaPvRKSt9nothrow_t"
#define NAME_DELETE_ALIGNED "_ZdlPvSt11align_val_t"
#define NAME_DELETE_ARRAY_ALIGNED "_ZdaPvSt11align_val_t"
#define NAME_DELETE_ALIGNED_NOTHROW "_ZdlPvSt11align_val_tRKSt9nothrow_t"
#define NAME_DELETE_ARRAY_ALIGNED_NOTHROW "_ZdaPvSt11align_val_tRKSt9nothrow_t"
#define NAME_DELETE_SIZED_ALIGNED "_ZdlPvmSt11align_val_t"
#define NAME_DELETE_ARRAY_SIZED_ALIGNED "_ZdaPvmSt11align_val_t"

#define NAME(operator_) [operator_] = NAME_##operator_

static const char *const names[N_OPERATORS] = {NAME(NEW),
                                               NAME(NEW_ARRAY),
                                               NAME(NEW_NOTHROW),
                                               NAME(NEW_ARRAY_NOTHROW),
                                               NAME(NEW_ALIGNED),
                                               NAME(NEW_ARRAY_ALIGNED),
                                               NAME(NEW_ALIGNED_NOTHROW),
                                               NAME(NEW_ARRAY_ALIGNED_NOTHROW),
                                               NAME(DELETE),
                                               NAME(DELETE_ARRAY),
                                               NAME(DELETE_SIZED),
                                               NAME(DELETE_ARRAY_SIZED),
                                               NAME(DELETE_NOTHROW),
                                               NAME(DELETE_ARRAY_NOTHROW),
                                               NAME(DELETE_ALIGNED),
                                               NAME(DELETE_ARRAY_ALIGNED),
                                               NAME(DELETE_ALIGNED_NOTHROW),
                                               NAME(DELETE_ARRAY_ALIGNED_NOTHROW),
                                               NAME(DELETE_SIZED_ALIGNED),
                                               NAME(DELETE_ARRAY_SIZED_ALIGNED)};

/* Each operator has the first one, two or all three of these parameters. */
typedef void *New(size_t size, size_t alignment_or_tag, const void *tag);
typedef void Delete(void *memory, size_t size_or_alignment, size_t alignment);

static void *_Atomic next[N_OPERATORS]; /* the original operators; NULL: not known */
static char is_direct[N_OPERATORS];
static int is_looked_up;
/* the program itself defines malloc, which the operators of a C++ runtime then call */
static int has_own_malloc;

static const void *object_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* Returns whether the function belongs to a C++ runtime, whose operators call malloc. */
static int is_of_runtime(void *function)
{
    Dl_info info;
    if (!dladdr(function, &info) || !info.dli_fname)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash ? slash + 1 : info.dli_fname;
    return !strncmp(name, "libstdc++.so", 12) || !strncmp(name, "libc++.so", 9) ||
           !strncmp(name, "libc++abi.so", 12);
}

void heap_operators_look_up(void)
{
    next[NEW] = dlsym(RTLD_NEXT, names[NEW]);
    for (int i = 0; next[NEW] && i < N_OPERATORS; i++)
        next[i] = dlsym(RTLD_NEXT, names[i]);
    for (int i = 0; i < N_OPERATORS; i++)
        is_direct[i] = next[i] ? (char)is_of_runtime(next[i]) : !next[NEW];
    has_own_malloc = object_of((void *)malloc) != object_of((void *)heap_operators_look_up);
    is_looked_up = 1;
}

static int goes_direct(int i)
{
    if (__builtin_expect(!is_looked_up, 0))
        heap_look_up();
    return is_direct[i];
}

/* Finds the operators of a C++ runtime that was loaded after the first look-up, together with the
 * library that contains `caller`. */
static void find_late(const void *caller)
{
    Dl_info info;
    void *library = dladdr(caller, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;

    for (int i = 0; library && i < N_OPERATORS; i++) {
        void *found = dlsym(library, names[i]);
        if (found && object_of(found) != object_of((void *)heap_operators_look_up))
            atomic_store_explicit(&next[i], found, memory_order_release);
    }
    if (library)
        dlclose(library);
}

/* Returns the original operator; NULL: there is none. The first look-up may wait for the loader's
 * lock. This is acceptable, because there is no memory and only the runtime can throw the
 * exception. */
static void *next_of(int i, const void *caller)
{
    void *found = atomic_load_explicit(&next[i], memory_order_acquire);

    if (!found) {
        find_late(caller);
        found = atomic_load_explicit(&next[i], memory_order_acquire);
    }
    return found;
}

static void *allocate_memory(size_t size)
{
    return has_own_malloc ? malloc(size) : heap_real_malloc(size);
}

static void give_back(void *memory)
{
    if (has_own_malloc)
        free(memory);
    else
        heap_real_free(memory);
}

static void *take_aligned(size_t size, size_t alignment)
{
    size_t whole = (size + alignment - 1) & ~(alignment - 1);
    if (!alignment || alignment & (alignment - 1) || whole < size)
        return NULL; /* the runtime's operator decides */
    if (has_own_malloc)
        return aligned_alloc(alignment, whole);
    return !heap_real_aligned_alloc ? NULL : heap_real_aligned_alloc(alignment, whole);
}

#define TAKE_NEW(operator_, parameters_, direct_, arguments_)                                      \
    API void *strobe_##operator_ parameters_ __asm__(NAME_##operator_);                            \
    void *strobe_##operator_ parameters_                                                           \
    {                                                                                              \
        const HeapHooks *hooks = OPEN_HOOKS();                                                     \
        void *memory = goes_direct(operator_) ? direct_ : NULL;                                    \
        if (!memory) {                                                                             \
            New *real = (New *)next_of(operator_, CALLER);                                         \
            heap_thread.reported = NULL;                                                           \
            memory = real ? real arguments_ : NULL;                                                \
            if (heap_thread.reported == memory)                                                    \
                return memory; /* `real` called malloc, which has reported the memory */           \
        }                                                                                          \
        return IS_SHUT(hooks) ? memory : heap_tell_allocated(hooks, memory, size, CALLER);         \
    }

#define GIVE_BACK(operator_, parameters_, arguments_)                                              \
    API void strobe_##operator_ parameters_ __asm__(NAME_##operator_);                             \
    void strobe_##operator_ parameters_                                                            \
    {                                                                                              \
        const HeapHooks *hooks = OPEN_HOOKS();                                                     \
        if (!IS_SHUT(hooks))                                                                       \
            heap_tell_released(hooks, memory);                                                     \
        if (goes_direct(operator_))                                                                \
            give_back(memory);                                                                     \
        else if (next[operator_])                                                                  \
            ((Delete *)next[operator_]) arguments_;                                                \
        else if (next[DELETE])                                                                     \
            ((Delete *)next[DELETE]) arguments_;                                                   \
        else                                                                                       \
            free(memory);                                                                          \
    }

#define TAG const void *tag
#define PLAIN allocate_memory(size)
#define ALIGNED take_aligned(size, alignment)

TAKE_NEW(NEW, (size_t size), PLAIN, (size, 0, NULL))
TAKE_NEW(NEW_ARRAY, (size_t size), PLAIN, (size, 0, NULL))
TAKE_NEW(NEW_NOTHROW, (size_t size, TAG), PLAIN, (size, (size_t)tag, NULL))
TAKE_NEW(NEW_ARRAY_NOTHROW, (size_t size, TAG), PLAIN, (size, (size_t)tag, NULL))
TAKE_NEW(NEW_ALIGNED, (size_t size, size_t alignment), ALIGNED, (size, alignment, NULL))
TAKE_NEW(NEW_ARRAY_ALIGNED, (size_t size, size_t alignment), ALIGNED, (size, alignment, NULL))
TAKE_NEW(NEW_ALIGNED_NOTHROW, (size_t size, size_t alignment, TAG), ALIGNED, (size, alignment, tag))
TAKE_NEW(NEW_ARRAY_ALIGNED_NOTHROW, (size_t size, size_t alignment, TAG), ALIGNED,
         (size, alignment, tag))

GIVE_BACK(DELETE, (void *memory), (memory, 0, 0))
GIVE_BACK(DELETE_ARRAY, (void *memory), (memory, 0, 0))
GIVE_BACK(DELETE_SIZED, (void *memory, size_t size), (memory, size, 0))
GIVE_BACK(DELETE_ARRAY_SIZED, (void *memory, size_t size), (memory, size, 0))
GIVE_BACK(DELETE_NOTHROW, (void *memory, TAG), (memory, (size_t)tag, 0))
GIVE_BACK(DELETE_ARRAY_NOTHROW, (void *memory, TAG), (memory, (size_t)tag, 0))
GIVE_BACK(DELETE_ALIGNED, (void *memory, size_t alignment), (memory, alignment, 0))
GIVE_BACK(DELETE_ARRAY_ALIGNED, (void *memory, size_t alignment), (memory, alignment, 0))
GIVE_BACK(DELETE_ALIGNED_NOTHROW, (void *memory, size_t alignment, TAG),
          (memory, alignment, (size_t)tag))
GIVE_BACK(DELETE_ARRAY_ALIGNED_NOTHROW, (void *memory, size_t alignment, TAG),
          (memory, alignment, (size_t)tag))
GIVE_BACK(DELETE_SIZED_ALIGNED, (void *memory, size_t size, size_t alignment),
          (memory, size, alignment))
GIVE_BACK(DELETE_ARRAY_SIZED_ALIGNED, (void *memory, size_t size, size_t alignment),
          (memory, size, alignment))
