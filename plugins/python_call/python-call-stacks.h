/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Returns the Python call stack of the calling thread, for records of other collectors.
 *
 * Other collectors request the stack in the middle of an operator, mostly without the interpreter's
 * lock. The functions here never take this lock: the thread that holds it may be waiting for the
 * calling thread. While the calling thread is in the operator, its frames do not change, so their
 * instructions and lines can be read; file and function were copied when each frame began. An outer
 * frame keeps its text from an earlier stack, unless the function that it called has returned
 * since.
 */
#ifndef STROBE_PYTHON_CALL_STACKS_H
#define STROBE_PYTHON_CALL_STACKS_H

#include <strobe/helpers/python-stack.h>
#include "tracer.h"

extern const StrobePythonStack strobe_python_stack_1;

#endif
