/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names modules of PyTorch: `nn.Module: Linear_0`. An instance keeps its number as long as it
 * lives, through all windows; no other instance ever gets the number. A module is identified by its
 * address and a weak reference, which does not keep it alive. Call all functions with the
 * interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MODULES_H
#define STROBE_PYTHON_CALL_MODULES_H

#include <strobe/collector.h>

#include "python-api.h"

/* Call it before a window of this session: forgets modules that have been freed. */
void modules_begin(const StrobeHost *host, StrobeInstance *self);

/* Is this the code of torch.nn.Module.__call__? The caller keeps the result for each code
 * object. */
int modules_is_call(PyObject *code);

/* `frame` runs torch.nn.Module.__call__. Returns a lasting id for the name of the module that is
 * called, and sets `number` to the module's number. Returns 0 if there is no lasting id; if
 * `number` was set, use modules_name_again. */
StrobeStringId modules_name(PyObject *frame, int64_t *number);
/* Returns an id for the module's name that is valid for the next record only. */
StrobeStringId modules_name_again(PyObject *frame, int64_t number);

#endif
