/* SPDX-License-Identifier: Apache-2.0 */
#include "program-exit.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <strobe/plugin.h>

#define HANDLERS_MAX 64 /* after this many windows MSPTI has made all of its objects */

typedef int BeforeExit(void (*call)(void));

static void (*_Atomic leave_function)(void);
static atomic_int has_hook; /* the preloaded library calls leave_program */
static atomic_int n_handlers;

static void leave_program(void)
{
    leave_function();
}

void npu_exit_watch(void (*function)(void))
{
    if (atomic_exchange(&leave_function, function))
        return;
    BeforeExit *before_exit = (BeforeExit *)dlsym(RTLD_DEFAULT, STROBE_BEFORE_EXIT_SYMBOL);
    atomic_store(&has_hook, before_exit && before_exit(leave_program) == 0);
}

void npu_exit_watch_again(void)
{
    if (!atomic_load(&has_hook) && atomic_fetch_add(&n_handlers, 1) < HANDLERS_MAX)
        atexit(leave_program);
}
