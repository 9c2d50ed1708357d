/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python call stack of the calling thread, for records of other collectors.
 *
 * It is called in the middle of an operator, mostly without the interpreter's lock, and never takes
 * the lock: the thread that holds it may be waiting for this thread. While this thread is in the
 * operator its frames do not change, so their instructions and lines can be read; file and function
 * were copied when the frame was entered. Frames outside the innermost one keep their text from an
 * earlier stack, unless their callee has returned since.
 */
#ifndef STROBE_PYTHON_CALL_STACKS_H
#define STROBE_PYTHON_CALL_STACKS_H

#include <strobe/helpers/python-stack.h>
#include "tracer.h"

extern const StrobePythonStack strobe_python_stack_1;

#endif
