/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about code and frames of PyTorch. Call with the interpreter's lock; it leaves no error
 * set. */
#ifndef STROBE_PYTHON_CALL_INSPECT_H
#define STROBE_PYTHON_CALL_INSPECT_H

#include "python-api.h"

/* Does the code's file end so? */
int inspect_is_of_file(PyObject *code, const char *end);

/* Is it the code of that method (names of attributes, NULL at the end) of a module that is loaded?
 */
int inspect_is_method(PyObject *code, const char *module, const char *const *path);

/* The argument `self` of a frame that begins; a strong reference, or NULL. */
PyObject *inspect_self(PyObject *frame);

/* The folder of the package "strobe", with a slash at its end, into `folder`. 0: it is not loaded.
 */
int inspect_own_folder(char *folder, size_t size);

#endif
