/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from the object Session into the library, and callbacks from the library into Python.
 *
 * A call that may take time releases the interpreter lock; a lock of the Session object prevents
 * that two threads are in the library at once. dump() has a separate lock, so that steps continue
 * during a dump. A thread that needs both locks first takes the lock of dump(). In a child forked
 * from the recording process every call does nothing, because the session belongs to the parent.
 */
#ifndef STROBE_PYTHON_SESSION_CALLS_H
#define STROBE_PYTHON_SESSION_CALLS_H

#include "module.h"

/* A type of call into the library. Only one call of each type can run at a time. */
typedef struct StrobePythonCall {
    PyThread_type_lock lock;
    unsigned long owner; /* id of the thread that is making the call; 0: none */
    /* exception of a callback, which the call in which the callback ran must raise */
    PyObject *raised[3];
} StrobePythonCall;

typedef struct StrobePythonSession {
    PyObject ob_base;
    StrobeSession *session;   /* NULL: the session is closed */
    int borrowed;             /* 1: this object must not free the session */
    unsigned forks;           /* strobe_python_forks() when the session was made */
    StrobePythonCall control; /* the type of all calls except dump() */
    StrobePythonCall dump;
    unsigned long reported; /* id of the library's thread that is reporting a dump; 0: none */
    PyObject *schedule;
    PyObject *trace_ready;
    PyObject *window_end;
} StrobePythonSession;

/* Returns whether the session belongs to a parent process. */
static inline int strobe_python_is_external(const StrobePythonSession *self)
{
    return self->forks != strobe_python_forks();
}

/* Takes the lock of `call` before a call into the library. Returns 1: the caller must make the call
 * and then call strobe_python_leave; 0: the caller must do nothing; -1: an exception is set. */
int strobe_python_enter(StrobePythonSession *self, StrobePythonCall *call);
/* Like strobe_python_enter for `control`, but for a call that only reads, which is allowed in a
 * callback too. If this thread already holds the lock, does not take it again. Sets *entered to
 * whether the caller must call strobe_python_leave. */
int strobe_python_enter_reader(StrobePythonSession *self, int *entered);
/* Takes the lock without the checks of strobe_python_enter. */
void strobe_python_take(StrobePythonCall *call);
void strobe_python_leave(StrobePythonCall *call);
/* Returns 1 if the call or a callback in it failed. Then an exception is set: that of the callback
 * or, if there is none, the library's error. */
int strobe_python_failed(StrobePythonCall *call, StrobeStatus status, StrobeError *error);

/* Callbacks for the library, which call the session's callables; `user` is the Session object. */
StrobeAction strobe_python_call_schedule(void *user, int64_t step);
void strobe_python_call_trace_ready(void *user, const char *directory);
void strobe_python_call_window_end(void *user, const char *directory);

#endif
