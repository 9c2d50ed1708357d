/* SPDX-License-Identifier: Apache-2.0 */
#include "session-calls.h"

/* ---- entering the library ---------------------------------------------------------------- */

/* Whether this thread is in a callback of the session. */
static int is_inside(const StrobePythonSession *self)
{
    unsigned long me = PyThread_get_thread_ident();
    return self->control.owner == me || self->dump.owner == me || self->reported == me;
}

void strobe_python_take(StrobePythonCall *call)
{
    if (!PyThread_acquire_lock(call->lock, NOWAIT_LOCK)) {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(call->lock, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }
    call->owner = PyThread_get_thread_ident();
}

void strobe_python_leave(StrobePythonCall *call)
{
    call->owner = 0;
    PyThread_release_lock(call->lock);
}

/* Takes the lock of `call` if the session may be used. Returns the same values as
 * strobe_python_enter. A reader (`is_reader`) may also call this in a callback, in a thread that
 * does not hold the lock. */
static int enter_as(StrobePythonSession *self, StrobePythonCall *call, int is_reader)
{
    if (strobe_python_is_external(self))
        return 0;
    if (self->session && !is_reader && is_inside(self)) {
        PyErr_SetString(strobe_python_error, "the session was called from its own callback");
        return -1;
    }
    strobe_python_take(call);
    if (!self->session) {
        strobe_python_leave(call);
        PyErr_SetString(strobe_python_error, "the session is closed");
        return -1;
    }
    return 1;
}

int strobe_python_enter(StrobePythonSession *self, StrobePythonCall *call)
{
    return enter_as(self, call, 0);
}

int strobe_python_failed(StrobePythonCall *call, StrobeStatus status, StrobeError *error)
{
    if (call->raised[0]) {
        PyErr_Restore(call->raised[0], call->raised[1], call->raised[2]);
        call->raised[0] = call->raised[1] = call->raised[2] = NULL;
        strobe_error_free(error);
        return 1;
    }
    if (status < 0) {
        strobe_python_raise(status, error);
        return 1;
    }
    strobe_error_free(error);
    return 0;
}

/* ---- callbacks --------------------------------------------------------------------------- */

/* Keeps the current exception for the session call in which this thread is; the call then raises
 * it. If the thread is in no such call, as the library's thread that dumps, passes the exception to
 * the interpreter's hook for unraisable exceptions. */
static void keep_exception(StrobePythonSession *self, PyObject *callback)
{
    unsigned long me = PyThread_get_thread_ident();
    StrobePythonCall *call = self->control.owner == me ? &self->control
                             : self->dump.owner == me  ? &self->dump
                                                       : NULL;
    if (!call || call->raised[0]) {
        PyErr_WriteUnraisable(callback);
        return;
    }
    PyErr_Fetch(&call->raised[0], &call->raised[1], &call->raised[2]);
}

StrobeAction strobe_python_call_schedule(void *user, int64_t step)
{
    StrobePythonSession *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    long action = STROBE_ACTION_NONE;
    PyObject *number = PyLong_FromLongLong(step);
    PyObject *answer = number ? PyObject_CallFunctionObjArgs(self->schedule, number, NULL) : NULL;
    if (answer)
        action = PyLong_AsLong(answer);
    if (answer && !PyErr_Occurred() && (action < 0 || action > STROBE_ACTION_RECORD_AND_SAVE))
        PyErr_Format(PyExc_ValueError, "schedule(%lld) returned %ld, expected 0 to 3",
                     (long long)step, action);
    if (PyErr_Occurred()) {
        keep_exception(self, self->schedule);
        action = STROBE_ACTION_NONE;
    }
    Py_XDECREF(answer);
    Py_XDECREF(number);
    PyGILState_Release(gil);
    return (StrobeAction)action;
}

/* Calls the callable with the directory. Holds a reference to the callable, because another thread
 * may replace it at the same time. */
static void call_callback(StrobePythonSession *self, PyObject *callable, const char *directory)
{
    PyObject *path = callable ? PyUnicode_DecodeFSDefault(directory) : NULL;
    PyObject *answer;
    if (!callable)
        return;
    Py_INCREF(callable);
    answer = path ? PyObject_CallFunctionObjArgs(callable, path, NULL) : NULL;
    if (!answer)
        keep_exception(self, callable);
    Py_XDECREF(answer);
    Py_XDECREF(path);
    Py_DECREF(callable);
}

/* The library calls this in the thread that steps, stops or dumps, or after a dump in the library's
 * own thread. */
void strobe_python_call_trace_ready(void *user, const char *directory)
{
    StrobePythonSession *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    int is_external_thread = !is_inside(self);
    if (is_external_thread)
        self->reported = PyThread_get_thread_ident();
    call_callback(self, self->trace_ready, directory);
    if (is_external_thread)
        self->reported = 0;
    PyGILState_Release(gil);
}

void strobe_python_call_window_end(void *user, const char *directory)
{
    StrobePythonSession *self = user;
    PyGILState_STATE gil = PyGILState_Ensure();
    call_callback(self, self->window_end, directory);
    PyGILState_Release(gil);
}

/* Readers are allowed in a callback. A reader whose thread already holds the lock does not take it
 * again. */
int strobe_python_enter_reader(StrobePythonSession *self, int *entered)
{
    *entered = 0;
    if (!self->session) {
        PyErr_SetString(strobe_python_error, "the session is closed");
        return -1;
    }
    if (strobe_python_is_external(self) || self->control.owner == PyThread_get_thread_ident())
        return 0;
    *entered = enter_as(self, &self->control, 1);
    return *entered < 0 ? -1 : 0;
}
