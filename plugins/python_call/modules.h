/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Modules of PyTorch: `nn.Module: Linear_0`. An instance keeps its number as long as it lives,
 * through all windows; no other ever gets it. Known by its address and a weak reference, so that
 * nothing is kept alive. With the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MODULES_H
#define STROBE_PYTHON_CALL_MODULES_H

#include <strobe/collector.h>

#include "python-api.h"

/* Before a window of this session: forgets modules that are gone. */
void modules_begin(const StrobeHost *host, StrobeInstance *self);

/* Is this the code by which torch.nn.Module is called? For code seen for the first time. */
int modules_is_call(PyObject *code);

/* Lasting id of the name of the module that a frame of that code calls, and its number; 0: none, or
 * see modules_name_again if there is a number. */
StrobeStringId modules_name(PyObject *frame, int64_t *number);
/* An id for the next record only. */
StrobeStringId modules_name_again(PyObject *frame, int64_t number);

#endif
