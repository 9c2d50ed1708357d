/* SPDX-License-Identifier: Apache-2.0 */
/* Determines properties of code and frames of PyTorch. The caller of each function must hold the
 * interpreter's lock. The functions leave no error set. */
#ifndef STROBE_PYTHON_CALL_INSPECT_H
#define STROBE_PYTHON_CALL_INSPECT_H

#include "python-api.h"

/* Returns whether the name of the code's file ends with `end`. */
int inspect_is_of_file(PyObject *code, const char *end);

/* Returns whether `code` is the code of a method of a loaded module. `path`: names of attributes
 * that lead to the method, with NULL at the end. */
int inspect_is_method(PyObject *code, const char *module, const char *const *path);

/* Returns the argument `self` of a frame that begins, as a strong reference; NULL: there is
 * none. */
PyObject *inspect_self(PyObject *frame);

/* Writes the folder of the package "strobe", with a slash at its end, to `folder`. Returns 0 if the
 * package is not loaded. */
int inspect_own_folder(char *folder, size_t size);

#endif
