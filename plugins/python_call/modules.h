/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names modules of PyTorch: `nn.Module: Linear_0`. An instance keeps its number as long as it
 * lives, through all windows; no other instance ever gets the number. A module is identified by its
 * address and a weak reference, which does not keep it alive. Call with the interpreter's lock.
 */
#ifndef STROBE_PYTHON_CALL_MODULES_H
#define STROBE_PYTHON_CALL_MODULES_H

#include <strobe/collector.h>

#include "python-api.h"

/* Call it before a window of this session: forgets modules that are gone. */
void modules_begin(const StrobeHost *host, StrobeInstance *self);

/* Is this the code of torch.nn.Module.__call__? Needed once for each code object. */
int modules_is_call(PyObject *code);

/* Returns a lasting id for the name of the module that a frame of that code calls; sets its number.
 * 0: there is none; if the number was set, use modules_name_again. */
StrobeStringId modules_name(PyObject *frame, int64_t *number);
/* Returns an id that is valid for the next record only. */
StrobeStringId modules_name_again(PyObject *frame, int64_t number);

#endif
