/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles profile functions that libraries set by the C API, as PyTorch's profiler does for
 * with_stack. A thread has only one profile function.
 *
 * The interpreter reports the end of a C function to the profile function that is set at that time,
 * even if it reported the begin to another profile function. PyTorch's profiler up to 2.6 fails on
 * an end without a begin ("Python replay stack is empty"), so the functions here first report the
 * begin to a new profile function.
 */
#ifndef STROBE_PYTHON_CALL_OTHER_PROFILERS_H
#define STROBE_PYTHON_CALL_OTHER_PROFILERS_H

#include "python-api.h"

/* Libraries call these functions in place of PyEval_SetProfile and _PyEval_SetProfile. Begins are
 * reported only for the current thread, because PyTorch needs them only there. */
void other_profilers_set(PyProfile function, PyObject *object);
int other_profilers_set_in(PyThread *thread, PyProfile function, PyObject *object);

#endif
