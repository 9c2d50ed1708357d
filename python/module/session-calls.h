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

/* A kind of call into the library, of which one can run at a time. */
typedef struct StrobePythonCall {
    PyThread_type_lock lock;
    unsigned long owner; /* thread that is making the call; 0: none */
    /* exception from a callback; the call in which the callback ran raises it */
    PyObject *raised[3];
} StrobePythonCall;

typedef struct StrobePythonSession {
    PyObject ob_base;
    StrobeSession *session;   /* NULL: closed */
    int borrowed;             /* this object must not free the session */
    unsigned forks;           /* strobe_python_forks() when the session was made */
    StrobePythonCall control; /* all calls except dump() */
    StrobePythonCall dump;
    unsigned long reported; /* thread of the library that is reporting a dump; 0: none */
    PyObject *schedule;
    PyObject *trace_ready;
    PyObject *window_end;
} StrobePythonSession;

/* Returns whether the session belongs to a parent process. */
static inline int strobe_python_is_external(const StrobePythonSession *self)
{
    return self->forks != strobe_python_forks();
}

/* Call it before a call into the library. Returns 1: make the call, then call strobe_python_leave;
 * 0: do nothing; -1: an exception is set. */
int strobe_python_enter(StrobePythonSession *self, StrobePythonCall *call);
/* Like strobe_python_enter for `control`, for a call that only reads, which is allowed in a
 * callback. Sets *entered if the caller must call strobe_python_leave; if this thread already holds
 * the lock, the lock is not taken again. */
int strobe_python_enter_reader(StrobePythonSession *self, int *entered);
/* Takes the lock without the checks of strobe_python_enter. */
void strobe_python_take(StrobePythonCall *call);
void strobe_python_leave(StrobePythonCall *call);
/* Returns 1 if the call failed, with an exception set: the exception of a callback if there is one,
 * otherwise the library's error. */
int strobe_python_failed(StrobePythonCall *call, StrobeStatus status, StrobeError *error);

/* Callbacks for the library, which call the session's callables; `user` is the Session object. */
StrobeAction strobe_python_call_schedule(void *user, int64_t step);
void strobe_python_call_trace_ready(void *user, const char *directory);
void strobe_python_call_window_end(void *user, const char *directory);

#endif
