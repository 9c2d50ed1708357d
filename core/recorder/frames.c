/* SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"

#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Assumed maximum size of a thread's own stack. The end of a call that is deeper in a larger stack
 * is never detected. */
#define STACK_BYTES ((uintptr_t)8 << 20)

/* Returns an address above all frames of the thread: libc keeps a thread's descriptor at the top of
 * its stack; at the top of the first thread's stack are random bytes from the kernel. */
static uintptr_t top_of_stack(void)
{
    return syscall(SYS_gettid) == getpid() ? (uintptr_t)getauxval(AT_RANDOM)
                                           : (uintptr_t)pthread_self();
}

static int is_on_alternate_stack(void)
{
    stack_t stack;

    return sigaltstack(NULL, &stack) != 0 || (stack.ss_flags & SS_ONSTACK) != 0;
}

int strobe_frame_has_ended(uintptr_t border, uintptr_t now)
{
    if (now < border)
        return 0;
    uintptr_t top = top_of_stack();
    /* An alternate signal stack may be an array in a frame of the thread's own stack, so addresses
     * alone do not suffice. */
    return top - border < STACK_BYTES && top - now < STACK_BYTES && !is_on_alternate_stack();
}
