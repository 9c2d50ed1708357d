/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records calls by the profile function that CPython has for each thread (up to 3.11; monitoring.c
 * is for later versions). A thread in which the program or another profiler has set a profile
 * function is not recorded. The caller of each function must hold the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_HOOK_H
#define STROBE_PYTHON_CALL_HOOK_H

#include "python-api.h"

/* Sets the collector's function in all threads, and in all threads that the module threading starts
 * from now on. Calls `on_profiler` when PyTorch's own profiler begins. Returns NULL, or the reason
 * of a failure. */
const char *hook_install(void (*on_profiler)(void));
/* Removes the collector's function from all threads that still have it. */
void hook_remove(void);

typedef enum HookChange {
    HOOK_UNCHANGED,
    HOOK_STAYS, /* the library would remove the collector's function: the caller must not let it */
    /* the library removes its own function: the caller must then call hook_return_to */
    HOOK_RETURNS
} HookChange;

/* Must be called before a library sets a thread's profile function (`function` NULL: removes it).
 * Stops recording the thread if the collector's function is replaced. */
HookChange hook_before_other(PyThread *thread, PyProfile function, PyObject *object);
/* Sets the collector's function again in a thread that has no profile function. */
void hook_return_to(PyThread *thread);

#endif
