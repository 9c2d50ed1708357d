/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls from the object Session into the library, and callbacks from the library into Python.
 *
 * A call that may take time releases the interpreter lock; a lock of the object keeps two threads
 * from being in the library at once. dump() has a separate lock, so that steps continue meanwhile.
 * A thread that needs both takes that of dump() first. In a child forked from the recording process
 * every call does nothing, because the session belongs to the parent.
 */
#ifndef STROBE_PYTHON_SESSION_CALLS_H
#define STROBE_PYTHON_SESSION_CALLS_H

#include "module.h"

/* A kind of call into the library, of which one can run at a time. */
typedef struct StrobePythonCall {
    PyThread_type_lock lock;
    unsigned long owner; /* thread that makes the call, 0: none */
    PyObject *raised[3]; /* exception of a callback; the call that ran the callback raises it */
} StrobePythonCall;

typedef struct StrobePythonSession {
    PyObject ob_base;
    StrobeSession *session;   /* NULL: closed */
    int borrowed;             /* this object does not free the session */
    unsigned forks;           /* strobe_python_forks() when the session was made */
    StrobePythonCall control; /* all calls except dump() */
    StrobePythonCall dump;
    unsigned long reported; /* the library's thread that reports a dump, 0: none */
    PyObject *schedule;
    PyObject *trace_ready;
    PyObject *window_end;
} StrobePythonSession;

/* Whether the session belongs to a parent process. */
static inline int strobe_python_is_external(const StrobePythonSession *self)
{
    return self->forks != strobe_python_forks();
}

/* 1: make the call, then leave. 0: the call must do nothing. -1: an exception is set. */
int strobe_python_enter(StrobePythonSession *self, StrobePythonCall *call);
/* The same for a call that only reads; *entered: whether it must leave the control call. It is
 * allowed in a callback. If this thread's call already holds the lock, it does not take it again.
 */
int strobe_python_enter_reader(StrobePythonSession *self, int *entered);
/* Takes only the lock, without the checks above. */
void strobe_python_take(StrobePythonCall *call);
void strobe_python_leave(StrobePythonCall *call);
/* 1: the call failed, and an exception is set: that of a callback rather than the library's error.
 */
int strobe_python_failed(StrobePythonCall *call, StrobeStatus status, StrobeError *error);

/* Callbacks for the library, which call the session's callables; `user` is the object. */
StrobeAction strobe_python_call_schedule(void *user, int64_t step);
void strobe_python_call_trace_ready(void *user, const char *directory);
void strobe_python_call_window_end(void *user, const char *directory);

#endif
