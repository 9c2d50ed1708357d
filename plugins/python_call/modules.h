/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names modules of PyTorch: `nn.Module: Linear_0`. An instance keeps its number as long as it
 * lives, through all windows; no other instance ever gets the number. A module is identified by its
 * address and a weak reference, which does not keep the module alive. The caller of each function
 * must hold the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MODULES_H
#define STROBE_PYTHON_CALL_MODULES_H

#include <strobe/collector.h>

#include "python-api.h"

/* Forgets modules that have been freed. Must be called before each window of the session. */
void modules_begin(const StrobeHost *host, StrobeInstance *self);

/* Returns whether this is the code of torch.nn.Module.__call__. The caller should store the result
 * for each code object. */
int modules_is_call(PyObject *code);

/* Returns a lasting id for the name of the module that `frame` calls (`frame` runs
 * torch.nn.Module.__call__), and sets `number` to the module's number. Returns 0 if there is no
 * lasting id; if `number` was set, the caller can then call modules_name_again. */
StrobeStringId modules_name(PyObject *frame, int64_t *number);
/* Returns an id for the module's name that is valid only for the next record. */
StrobeStringId modules_name_again(PyObject *frame, int64_t number);

#endif
