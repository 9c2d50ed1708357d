/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the object Session gets into the library, and the library back into Python.
 *
 * A call that may take time releases the interpreter lock; a lock of the object keeps two threads
 * from being in the library at once. dump() has a lock of its own: steps go on meanwhile. Who needs
 * both takes that of dump() first. In a child forked from the recording process every call does
 * nothing: the session is the parent's.
 */
#ifndef STROBE_PYTHON_SESSION_CALLS_H
#define STROBE_PYTHON_SESSION_CALLS_H

#include "module.h"

/* Being in the library, at most one of its sort at a time. */
typedef struct StrobePythonCall {
    PyThread_type_lock lock;
    unsigned long owner; /* thread that makes it, 0: none */
    PyObject *raised[3]; /* exception of a callback, to be raised by the call it happened in */
} StrobePythonCall;

typedef struct StrobePythonSession {
    PyObject ob_base;
    StrobeSession *session;   /* NULL: closed */
    int borrowed;             /* someone else frees the session */
    unsigned forks;           /* strobe_python_forks() when it was made */
    StrobePythonCall control; /* any but dump() */
    StrobePythonCall dump;
    unsigned long reported; /* thread of the library's that tells of a dump, 0: none */
    PyObject *schedule;
    PyObject *trace_ready;
    PyObject *window_end;
} StrobePythonSession;

/* Is the session that of a parent process? */
static inline int strobe_python_is_external(const StrobePythonSession *self)
{
    return self->forks != strobe_python_forks();
}

/* 1: go on, then leave. 0: the call is to do nothing. -1: an exception is set. */
int strobe_python_enter(StrobePythonSession *self, StrobePythonCall *call);
/* As above for what only reads, with *entered set if it is to leave the control call: it is allowed
 * in a callback, and in the thread of a call that holds the lock is in already. */
int strobe_python_enter_reader(StrobePythonSession *self, int *entered);
/* Takes the lock alone, whatever is going on. */
void strobe_python_take(StrobePythonCall *call);
void strobe_python_leave(StrobePythonCall *call);
/* 1: it failed, an exception is set; that of a callback goes before an error of the library. */
int strobe_python_failed(StrobePythonCall *call, StrobeStatus status, StrobeError *error);

/* The session's callables, for the library; `user` is the object. */
StrobeAction strobe_python_call_schedule(void *user, int64_t step);
void strobe_python_call_trace_ready(void *user, const char *directory);
void strobe_python_call_window_end(void *user, const char *directory);

#endif
