/* SPDX-License-Identifier: Apache-2.0 */
#include "late-library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

static StrobeLoadedFunction *_Atomic on_load;
/* what strobe_loaded_objects() and strobe_loaded_present() returned when the function was last
 * called or set */
static _Atomic uint64_t n_loaded, n_present = UINT64_MAX;

static void store_counts(uint64_t loaded)
{
    uint64_t present = strobe_loaded_present();

    if (present == 0)
        return;
    atomic_store(&n_present, present);
    atomic_store(&n_loaded, loaded);
}

void late_library_call(StrobeLoadedFunction *function)
{
    store_counts(strobe_loaded_objects());
    atomic_store(&on_load, function);
}

/* Calls the function if there are new libraries, except if the caller is in a new library, whose
 * constructors may not have ended. Does not call it for libraries that the function itself
 * loads. */
static void check_loaded(const void *caller)
{
    static _Thread_local int is_inside;
    StrobeLoadedFunction *function = atomic_load(&on_load);
    int before = errno;

    if (!function || is_inside)
        return;
    is_inside = 1;
    uint64_t loaded = strobe_loaded_objects();
    if (loaded && loaded != atomic_load(&n_loaded) &&
        !strobe_loaded_after(atomic_load(&n_present), caller) && function())
        store_counts(loaded);
    is_inside = 0;
    errno = before;
}

/* ---- the functions that replace dlopen and dlsym ---- */

/* A new library is noticed at the next call of dlopen or dlsym, usually a dlsym that looks up its
 * functions. The replacement jumps to the original function and cannot do anything after it,
 * because the folders of dlopen's search and the meaning of RTLD_NEXT depend on the caller. On
 * processors other than those below, new libraries are not noticed. */

static void *fail_to_load(void)
{
    return NULL;
}

/* Returns the next function with this name after this library, and keeps it in *known. It may be a
 * function of another preloaded library. */
static void *next_function(_Atomic(void *) *known, const char *name)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17", "GLIBC_2.2.5"};
    void *function = atomic_load_explicit(known, memory_order_acquire);

    for (unsigned i = 0; !function && i < sizeof versions / sizeof *versions; i++)
        function = dlvsym(RTLD_NEXT, name, versions[i]);
    atomic_store_explicit(known, function, memory_order_release);
    return function ? function : (void *)(uintptr_t)fail_to_load;
}

#define HIDDEN __attribute__((used, visibility("hidden")))

HIDDEN void *late_library_before_dlopen(const void *caller);
HIDDEN void *late_library_before_dlsym(const void *caller);

void *late_library_before_dlopen(const void *caller)
{
    static _Atomic(void *) known;

    check_loaded(caller);
    return next_function(&known, "dlopen");
}

void *late_library_before_dlsym(const void *caller)
{
    static _Atomic(void *) known;

    check_loaded(caller);
    return next_function(&known, "dlsym");
}

#define BEGIN(name)                                                                                \
    ".text\n.p2align 4\n.globl " name "\n.type " name ", %function\n" name ":\n.cfi_startproc\n"
#define END(name) ".cfi_endproc\n.size " name ", .-" name "\n"

#if defined(__x86_64__)
#define STAND_BEFORE(name)                                                                         \
    __asm__(BEGIN(name) "endbr64\n"                                                                \
                        "push %rdi\n.cfi_adjust_cfa_offset 8\n"                                    \
                        "push %rsi\n.cfi_adjust_cfa_offset 8\n"                                    \
                        "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                 \
                        "mov 24(%rsp), %rdi\n" /* the return address */                            \
                        "call late_library_before_" name "\n"                                      \
                        "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                \
                        "pop %rsi\n.cfi_adjust_cfa_offset -8\n"                                    \
                        "pop %rdi\n.cfi_adjust_cfa_offset -8\n"                                    \
                        "jmp *%rax\n" END(name))
STAND_BEFORE("dlopen");
STAND_BEFORE("dlsym");
#elif defined(__aarch64__)
#define STAND_BEFORE(name)                                                                         \
    __asm__(BEGIN(name) "hint #34\n" /* bti c */                                                   \
                        "stp x29, x30, [sp, #-32]!\n.cfi_def_cfa_offset 32\n"                      \
                        ".cfi_offset 29, -32\n.cfi_offset 30, -24\n"                               \
                        "stp x0, x1, [sp, #16]\n"                                                  \
                        "mov x0, x30\n" /* the return address */                                   \
                        "mov x29, sp\n"                                                            \
                        "bl late_library_before_" name "\n"                                        \
                        "mov x16, x0\n"                                                            \
                        "ldp x0, x1, [sp, #16]\n"                                                  \
                        "ldp x29, x30, [sp], #32\n.cfi_def_cfa_offset 0\n"                         \
                        ".cfi_restore 29\n.cfi_restore 30\n"                                       \
                        "br x16\n" END(name))
STAND_BEFORE("dlopen");
STAND_BEFORE("dlsym");
#endif
