/* SPDX-License-Identifier: Apache-2.0 */
/* Finds facts about code and frames of PyTorch. Call all functions with the interpreter's lock;
 * they leave no error set. */
#ifndef STROBE_PYTHON_CALL_INSPECT_H
#define STROBE_PYTHON_CALL_INSPECT_H

#include "python-api.h"

/* Does the name of the code's file end with `end`? */
int inspect_is_of_file(PyObject *code, const char *end);

/* Is `code` the code of a method of a loaded module? `path`: names of attributes, NULL at the
 * end. */
int inspect_is_method(PyObject *code, const char *module, const char *const *path);

/* Returns the argument `self` of a frame that begins; a strong reference, or NULL. */
PyObject *inspect_self(PyObject *frame);

/* Writes the folder of the package "strobe", with a slash at its end, to `folder`. Returns 0 if the
 * package is not loaded. */
int inspect_own_folder(char *folder, size_t size);

#endif
