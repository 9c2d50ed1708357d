/* SPDX-License-Identifier: Apache-2.0 */
#include "python-other-profilers.h"

#include <stddef.h>

#include "hook.h"
#include "tracer.h"

typedef struct Newcomer {
    PyProfile function;
    PyObject *object;
    PyObject *running; /* strong reference */
} Newcomer;

static PyObject *call_nothing(PyObject *self, PyObject *arguments)
{
    python_api.ref(python_api.none);
    return python_api.none;
}

/* Represents a C function that has already begun, in reports to the new profile function. */
static PyMethod running = {"(began before this profiler)", call_nothing, PYTHON_VARARGS, ""};

static void report_begin(PyObject *frame, void *user)
{
    const Newcomer *newcomer = user;

    if (newcomer->function(newcomer->object, frame, PYTHON_C_CALL, newcomer->running) != 0)
        python_api.clear_error();
}

/* Reports the running C functions of the current thread to a new profile function. The caller must
 * hold the interpreter's lock, and the lock must not be released before the reports are made, so
 * that no other thread runs meanwhile. Thus the function does not use PyThreadState_Swap, which
 * releases the lock since 3.13. */
static void report_running(PyProfile function, PyObject *object)
{
    Newcomer newcomer = {function, object, python_api.new_function(&running, NULL, NULL)};

    if (newcomer.running) {
        tracer_for_each_in_builtin(python_api.thread(), report_begin, &newcomer);
        python_unref(newcomer.running);
    }
    python_api.clear_error();
}

static void finish_change(PyThread *thread, PyProfile function, PyObject *object, HookChange change)
{
    if (function && thread == python_api.thread())
        report_running(function, object);
    else if (change == HOOK_RETURNS)
        hook_return_to(thread);
}

void other_profilers_set(PyProfile function, PyObject *object)
{
    PyThread *own = python_api.thread();
    HookChange change = hook_before_other(own, function, object);

    if (change == HOOK_STAYS)
        return;
    python_api.set_profile(function, object);
    finish_change(own, function, object, change);
}

int other_profilers_set_in(PyThread *thread, PyProfile function, PyObject *object)
{
    HookChange change = hook_before_other(thread, function, object);
    int result = change == HOOK_STAYS ? 0 : python_api.set_profile_in(thread, function, object);

    if (result == 0)
        finish_change(thread, function, object, change);
    return result;
}
