/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds threads that begin while a window records, and that the module threading did not start:
 * threads that _thread starts, and threads of libraries that enter the interpreter. The caller of
 * each function must hold the interpreter's lock, unless a comment says otherwise.
 */
#ifndef STROBE_PYTHON_CALL_NEW_THREADS_H
#define STROBE_PYTHON_CALL_NEW_THREADS_H

#include "python-api.h"

/* Must be called when a window begins. From then on `enter` is called with the state of each new
 * thread that has no profile function and has not run Python code yet. During the call of `enter`
 * this state is the current one. */
void new_threads_begin(void (*enter)(PyThread *thread));
void new_threads_end(void);

/* The functions of _thread that start a thread, as strong references until the session closes. */
extern PyObject *new_threads_starters[2];

static inline int new_threads_is_starter(const PyObject *function)
{
    return function == new_threads_starters[0] || function == new_threads_starters[1];
}

/* Must be called when one of these functions has returned to `frame`. */
void new_threads_started(PyObject *frame);

/* Must be called at the end of the session, without the interpreter's lock. The interpreter may
 * have ended before. */
void new_threads_close(void);

/* Libraries call these functions in place of PyGILState_Ensure and PyEval_AcquireThread. */
int new_threads_ensure(void);
void new_threads_acquire(PyThread *thread);

#endif
