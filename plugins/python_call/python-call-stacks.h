/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Python call stack of the calling thread, for records of other collectors.
 *
 * Called where the interpreter's lock is mostly not held, in the middle of an operator, and never
 * takes it: who holds it may be waiting for this thread. A frame whose thread is in there does not
 * change, so that its instruction and line may be read; file and function were copied when it was
 * entered. What lies further out than the innermost frame was looked at with an earlier stack,
 * unless its callee has returned since.
 */
#ifndef STROBE_PYTHON_CALL_STACKS_H
#define STROBE_PYTHON_CALL_STACKS_H

#include <strobe/helpers/python-stack.h>
#include "tracer.h"

extern const StrobePythonStack strobe_python_stack_1;

#endif
