/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acts like the profiler of a library: sets its profile function in all threads with the C API, and
 * counts the open C functions of each thread, as PyTorch's profiler did until 2.6. The caller must
 * hold the interpreter's lock.
 */
#include <stddef.h>

#include "python-api.h"

#define TEST_EXPORT __attribute__((visibility("default")))
#define THREADS_MAX 64

void PyEval_SetProfile(PyProfile function, PyObject *object);
PyThread *PyThreadState_Get(void);
PyThread *PyThreadState_Swap(PyThread *thread);
PyThread *PyThreadState_Next(PyThread *thread);
PyInterpreter *PyThreadState_GetInterpreter(PyThread *thread);
PyThread *PyInterpreterState_ThreadHead(PyInterpreter *interpreter);
PyObject *PyLong_FromLong(long value);
long PyLong_AsLong(PyObject *object);
void Py_DecRef(PyObject *object);

TEST_EXPORT int test_profiler_start(void);
TEST_EXPORT int test_profiler_stop(void);
TEST_EXPORT int test_profiler_n_events(void);

static int open_builtins[THREADS_MAX]; /* present number in each thread */
static int lowest, n_events;

static int on_event(PyObject *object, PyObject *frame, int event, PyObject *argument)
{
    int *open = &open_builtins[PyLong_AsLong(object)];

    n_events++;
    *open += event == PYTHON_C_CALL;
    *open -= event == PYTHON_C_RETURN || event == PYTHON_C_EXCEPTION;
    lowest = *open < lowest ? *open : lowest;
    return 0;
}

static int set_in_all(PyProfile function)
{
    PyThread *own = PyThreadState_Get();
    PyThread *thread = PyInterpreterState_ThreadHead(PyThreadState_GetInterpreter(own));
    int n = 0;

    for (; thread && n < THREADS_MAX; thread = PyThreadState_Next(thread), n++) {
        PyObject *object = function ? PyLong_FromLong(n) : NULL;
        PyThreadState_Swap(thread);
        PyEval_SetProfile(function, object);
        PyThreadState_Swap(own);
        if (object)
            Py_DecRef(object);
    }
    return n;
}

/* Starts profiling. Returns the number of threads. */
int test_profiler_start(void)
{
    for (int i = 0; i < THREADS_MAX; i++)
        open_builtins[i] = 0;
    lowest = n_events = 0;
    return set_in_all(on_event);
}

/* Stops profiling. Returns the lowest number of open C functions in a thread: less than 0 if ends
 * came without begins, otherwise 0. */
int test_profiler_stop(void)
{
    set_in_all(NULL);
    return lowest;
}

int test_profiler_n_events(void)
{
    return n_events;
}
