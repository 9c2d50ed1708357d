/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The few functions of CPython's stable ABI that collectors use, found at run time: a plugin is not
 * linked against libpython and serves every version from 3.2 on. Since 1.0.
 */
#ifndef STROBE_HELPERS_PYTHON_H
#define STROBE_HELPERS_PYTHON_H

#include <stddef.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef struct PyObject PyObject; /* opaque here */
typedef ptrdiff_t PySize;
typedef PyObject *(*PyFunction)(PyObject *self, PyObject *arguments);

/* A method of a Python object, with the layout of CPython's PyMethodDef. */
typedef struct PyMethod {
    const char *name;
    PyFunction function;
    int flags;
    const char *text;
} PyMethod;

#define PYTHON_VARARGS 0x0001

/* X(member, symbol, result, parameters) */
#define PYTHON_FUNCTIONS(X)                                                                        \
    X(is_initialized, "Py_IsInitialized", int, (void))                                             \
    X(lock, "PyGILState_Ensure", int, (void))                                                      \
    X(unlock, "PyGILState_Release", void, (int state))                                             \
    X(ref, "Py_IncRef", void, (PyObject * object))                                                 \
    X(unref, "Py_DecRef", void, (PyObject * object))                                               \
    X(import_module, "PyImport_ImportModule", PyObject *, (const char *name))                      \
    X(get_attribute, "PyObject_GetAttrString", PyObject *, (PyObject * object, const char *name))  \
    X(new_function, "PyCFunction_NewEx", PyObject *,                                               \
      (PyMethod * method, PyObject * self, PyObject * module))                                     \
    X(list_size, "PyList_Size", PySize, (PyObject * list))                                         \
    X(list_item, "PyList_GetItem", PyObject *, (PyObject * list, PySize index))                    \
    X(list_append, "PyList_Append", int, (PyObject * list, PyObject * item))                       \
    X(delete_item, "PySequence_DelItem", int, (PyObject * sequence, PySize index))                 \
    X(tuple_item, "PyTuple_GetItem", PyObject *, (PyObject * tuple, PySize index))                 \
    X(dict_item, "PyDict_GetItemString", PyObject *, (PyObject * dict, const char *key))           \
    X(to_integer, "PyLong_AsLongLong", long long, (PyObject * object))                             \
    X(to_text, "PyUnicode_AsUTF8AndSize", const char *, (PyObject * object, PySize * length))      \
    X(from_text, "PyUnicode_FromString", PyObject *, (const char *text))                           \
    X(modules, "PyImport_GetModuleDict", PyObject *, (void))                                       \
    X(new_capsule, "PyCapsule_New", PyObject *,                                                    \
      (void *pointer, const char *name, void (*end)(PyObject * capsule)))                          \
    X(call, "PyObject_CallFunctionObjArgs", PyObject *, (PyObject * callable, ...))                \
    X(clear_error, "PyErr_Clear", void, (void))

typedef struct Python {
#define PYTHON_MEMBER(member, symbol, result, parameters) result(*member) parameters;
    PYTHON_FUNCTIONS(PYTHON_MEMBER)
#undef PYTHON_MEMBER
    PyObject *none;
} Python;

/* Fills *python. Returns NULL, or the name of the first symbol that this process lacks. */
const char *strobe_python_find(Python *python);

/* Returns a new reference to a function in a module of Strobe's package; NULL if the process has
 * not imported the package. The caller holds the interpreter's lock. */
PyObject *strobe_python_own_function(const Python *python, const char *module, const char *name);

#if defined(__cplusplus)
}
#endif

#endif
