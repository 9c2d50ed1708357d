/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that begin while a window records and are not the module threading's: those that _thread
 * starts, and those of libraries that enter the interpreter. With the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_NEW_THREADS_H
#define STROBE_PYTHON_CALL_NEW_THREADS_H

#include "python-api.h"

/* A window begins. `enter` is called with the state of each new thread that has no profile function
 * and ran nothing yet: current, or about to be entered as if it were. */
void new_threads_begin(void (*enter)(PyThread *thread));
void new_threads_end(void);

/* Functions of _thread that start one; strong until the session closes. */
extern PyObject *new_threads_starters[2];

static inline int new_threads_is_starter(const PyObject *function)
{
    return function == new_threads_starters[0] || function == new_threads_starters[1];
}

/* One of them has returned to `frame`. */
void new_threads_started(PyObject *frame);

/* The session ends. The interpreter may have ended before. Without the lock. */
void new_threads_close(void);

/* Libraries call these instead of PyGILState_Ensure and PyEval_AcquireThread. */
int new_threads_ensure(void);
void new_threads_acquire(PyThread *thread);

#endif
