/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls by the profile function that CPython has for each thread (up to 3.11; later ones have
 * monitoring.c). A thread in which the program or another profiler has set one is left to that.
 * With the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_HOOK_H
#define STROBE_PYTHON_CALL_HOOK_H

#include "python-api.h"

/* Sets it in all threads, and in those that the module threading starts from now on. Calls
 * `on_profiler` when PyTorch's own profiler begins. Returns NULL, or what went wrong. */
const char *hook_install(void (*on_profiler)(void));
/* Takes it out of all threads where it still is. */
void hook_remove(void);

typedef enum HookChange {
    HOOK_UNCHANGED,
    HOOK_STAYS,  /* the library takes out what is ours: it must not */
    HOOK_RETURNS /* the library takes out its own: hook_return_to afterwards */
} HookChange;

/* A library is about to set a thread's profile function, NULL: to take it out. Ours yields to it.
 */
HookChange hook_before_other(PyThread *thread, PyProfile function, PyObject *object);
/* The thread has no profile function any more. */
void hook_return_to(PyThread *thread);

#endif
