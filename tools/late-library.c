/* SPDX-License-Identifier: Apache-2.0 */
#include "late-library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <strobe/helpers/thread.h>
#include <sys/prctl.h>

#include "loaded-objects.h"

static LateLibraryCalls calls;
static atomic_int is_awaited;
static _Atomic uint64_t n_looked_at; /* objects, when they were looked at last */

static void *tell_found(void *user)
{
    (void)user;
    prctl(PR_SET_NAME, "strobe-look");
    calls.found();
    return NULL;
}

/* Python with PyTorch attaches by itself. */
static int has_reason(void)
{
    if (strobe_loaded_has("libtorch_cpu.so") == 1)
        return !calls.is_python();
    return strobe_loaded_has("libascendcl.so") == 1;
}

/* The program is in the midst of something, constructors of the library perhaps: it neither waits
 * for the thread nor is waited for, but by the loader. */
static void look(void)
{
    int before = errno;
    uint64_t n_loaded = strobe_loaded_objects();
    pthread_t thread;

    if (n_loaded && atomic_exchange(&n_looked_at, n_loaded) != n_loaded && has_reason() &&
        atomic_exchange(&is_awaited, 0) && calls.announce()) {
        if (strobe_thread_start(&thread, tell_found, NULL) == 0)
            pthread_detach(thread);
        else
            calls.give_up();
    }
    errno = before;
}

void late_library_await(const LateLibraryCalls *wanted)
{
    calls = *wanted;
    atomic_store(&n_looked_at, strobe_loaded_objects());
    atomic_store(&is_awaited, 1);
}

/* ---- in front of the loader ---- */

/* What a library is used for begins with dlsym, or it loads others: its name is found then. Which
 * folders dlopen looks into, and what RTLD_NEXT is, depends on who calls: so the program's call
 * goes on as it is, by a jump, and nothing is done behind it. Where that is not written down below,
 * libraries that come late are not seen. */

static void *fail_to_load(void)
{
    return NULL;
}

/* The next function of the name, which a program may have put there, too. */
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

HIDDEN void *late_library_before_dlopen(void);
HIDDEN void *late_library_before_dlsym(void);

void *late_library_before_dlopen(void)
{
    static _Atomic(void *) known;

    if (atomic_load_explicit(&is_awaited, memory_order_relaxed))
        look();
    return next_function(&known, "dlopen");
}

void *late_library_before_dlsym(void)
{
    static _Atomic(void *) known;

    if (atomic_load_explicit(&is_awaited, memory_order_relaxed))
        look();
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
