/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations for the files of the extension module `strobe._strobe`.
 *
 * The module uses only CPython's stable interface (abi3), so that one build works with every
 * interpreter from 3.11 on. Its state is in libstrobe, which is loaded once in each process.
 */
#ifndef STROBE_PYTHON_MODULE_H
#define STROBE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include <strobe/strobe.h>

/* The exception strobe.Error, which has the message of a StrobeError. Its attribute `status` is the
 * error's code. */
extern PyObject *strobe_python_error;

/* Raises strobe.Error for a failed call and frees `error` (NULL is allowed). Returns NULL. */
PyObject *strobe_python_raise(StrobeStatus status, StrobeError *error);

/* Returns the bytes of a str as UTF-8, NUL-terminated. Keeps lone surrogates. Sets *keep to the
 * object that owns the bytes if `text` does not, otherwise to NULL; the caller must release *keep
 * after use. Returns NULL with an exception if `text` is not a str. */
const char *strobe_python_text(PyObject *text, PyObject **keep);

/* Returns the number of forks between the process that loaded the module and this process. */
unsigned strobe_python_forks(void);

/* marking.c */
extern PyMethodDef strobe_python_marking[];
PyObject *strobe_python_range_type(void);

/* mstx-module.c; returns a separate module inside the extension */
PyObject *strobe_python_mstx_module(void);

/* compile-calls.c; returns a separate module inside the extension */
PyObject *strobe_python_compiled_module(void);

/* file-watch-type.c */
PyObject *strobe_python_file_watch_type(void);

/* unseen-child.c */
PyObject *strobe_python_run_unseen(PyObject *module, PyObject *args);

/* session-type.c */
PyObject *strobe_python_can_collect(PyObject *module, PyObject *name);
PyObject *strobe_python_session_type(void);
PyObject *strobe_python_attach(PyObject *module, PyObject *unused);
PyObject *strobe_python_step(PyObject *module, PyObject *unused);
PyObject *strobe_python_dump(PyObject *module, PyObject *unused);
/* Closes a session that is still open. It is called at exit, while callbacks can still be
 * called. */
PyObject *strobe_python_finish(PyObject *module, PyObject *unused);

#endif
