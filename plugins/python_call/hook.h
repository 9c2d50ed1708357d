/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records calls with the profile function that CPython has for each thread (up to 3.11;
 * monitoring.c is for later versions). If the program or another profiler has set one in a thread,
 * that thread is not recorded. Call all functions with the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_HOOK_H
#define STROBE_PYTHON_CALL_HOOK_H

#include "python-api.h"

/* Sets our function in all threads, and in those that the module threading starts from now on.
 * Calls `on_profiler` when PyTorch's own profiler begins. Returns NULL, or the reason of a
 * failure. */
const char *hook_install(void (*on_profiler)(void));
/* Removes our function from all threads that still have it. */
void hook_remove(void);

typedef enum HookChange {
    HOOK_UNCHANGED,
    HOOK_STAYS,  /* the library removes our function: it must not */
    HOOK_RETURNS /* the library removes its own function: call hook_return_to afterwards */
} HookChange;

/* Call it before a library sets a thread's profile function (NULL: removes it). Ours gives way. */
HookChange hook_before_other(PyThread *thread, PyProfile function, PyObject *object);
/* Sets our function again, in a thread that has none any more. */
void hook_return_to(PyThread *thread);

#endif
