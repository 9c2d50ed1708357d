/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of CPython's public API that the collector uses. They are found at run time, so the
 * plugin is not linked with libpython, and works with every version from 3.9 on.
 */
#ifndef STROBE_PYTHON_CALL_PYTHON_API_H
#define STROBE_PYTHON_CALL_PYTHON_API_H

#include <stddef.h>
#include <stdint.h>

/* The head of every object in the stable ABI (Py_TYPE is inlined into extensions). Free-threaded
 * and reference-tracing interpreters have a different head, so python_api_find refuses them. */
typedef struct PyObject {
    ptrdiff_t references;
    struct PyObject *type;
} PyObject;

typedef ptrdiff_t PySize;
typedef struct PyThread PyThread;           /* PyThreadState */
typedef struct PyInterpreter PyInterpreter; /* PyInterpreterState */
typedef PyObject *(*PyFunction)(PyObject *self, PyObject *arguments);
typedef PyObject *(*PyFastFunction)(PyObject *self, PyObject *const *arguments, PySize n);
typedef int (*PyProfile)(PyObject *object, PyObject *frame, int event, PyObject *argument);

/* Laid out as CPython's PyMethodDef. */
typedef struct PyMethod {
    const char *name;
    PyFunction function;
    int flags;
    const char *text;
} PyMethod;

/* The head of a function written in C, laid out as CPython's PyCFunctionObject: its public macro
 * PyCFunction_GET_FUNCTION is inlined into extensions. */
typedef struct PyBuiltin {
    PyObject head;
    const PyMethod *method;
} PyBuiltin;

#define PYTHON_VARARGS 0x0001
#define PYTHON_FASTCALL 0x0080

/* PyTrace_*, the events of a profile function. */
enum {
    PYTHON_CALL = 0,
    PYTHON_RETURN = 3,
    PYTHON_C_CALL = 4,
    PYTHON_C_EXCEPTION = 5,
    PYTHON_C_RETURN = 6
};

/* X(member, symbol, result, parameters) */
#define PYTHON_FUNCTIONS(X)                                                                        \
    X(is_initialized, "Py_IsInitialized", int, (void))                                             \
    X(version, "Py_GetVersion", const char *, (void))                                              \
    X(lock, "PyGILState_Ensure", int, (void))                                                      \
    X(unlock, "PyGILState_Release", void, (int state))                                             \
    X(add_pending_call, "Py_AddPendingCall", int, (int (*function)(void *), void *argument))       \
    X(ref, "Py_IncRef", void, (PyObject * object))                                                 \
    X(unref, "Py_DecRef", void, (PyObject * object))                                               \
    X(set_profile, "PyEval_SetProfile", void, (PyProfile function, PyObject * object))             \
    X(thread, "PyThreadState_Get", PyThread *, (void))                                             \
    X(swap_thread, "PyThreadState_Swap", PyThread *, (PyThread * thread))                          \
    X(interpreter, "PyThreadState_GetInterpreter", PyInterpreter *, (PyThread * thread))           \
    X(first_thread, "PyInterpreterState_ThreadHead", PyThread *, (PyInterpreter * interpreter))    \
    X(thread_id, "PyThreadState_GetID", uint64_t, (PyThread * thread))                             \
    X(acquire_thread, "PyEval_AcquireThread", void, (PyThread * thread))                           \
    X(next_thread, "PyThreadState_Next", PyThread *, (PyThread * thread))                          \
    X(top_frame, "PyThreadState_GetFrame", PyObject *, (PyThread * thread))                        \
    X(frame_back, "PyFrame_GetBack", PyObject *, (PyObject * frame))                               \
    X(frame_code, "PyFrame_GetCode", PyObject *, (PyObject * frame))                               \
    X(frame_line, "PyFrame_GetLineNumber", int, (PyObject * frame))                                \
    X(get_attribute, "PyObject_GetAttrString", PyObject *, (PyObject * object, const char *name))  \
    X(is_true, "PyObject_IsTrue", int, (PyObject * object))                                        \
    X(repr, "PyObject_Repr", PyObject *, (PyObject * object))                                      \
    X(to_text, "PyUnicode_AsUTF8AndSize", const char *, (PyObject * object, PySize * length))      \
    X(encode, "PyUnicode_AsEncodedString", PyObject *,                                             \
      (PyObject * text, const char *encoding, const char *errors))                                 \
    X(bytes, "PyBytes_AsString", char *, (PyObject * bytes))                                       \
    X(bytes_size, "PyBytes_Size", PySize, (PyObject * bytes))                                      \
    X(from_text, "PyUnicode_FromString", PyObject *, (const char *text))                           \
    X(to_integer, "PyLong_AsLongLong", long long, (PyObject * object))                             \
    X(new_integer, "PyLong_FromLong", PyObject *, (long value))                                    \
    X(clear_error, "PyErr_Clear", void, (void))                                                    \
    X(take_error, "PyErr_Fetch", void, (PyObject * *type, PyObject * *value, PyObject * *trace))   \
    X(give_error, "PyErr_Restore", void, (PyObject * type, PyObject * value, PyObject * trace))    \
    X(new_capsule, "PyCapsule_New", PyObject *,                                                    \
      (void *pointer, const char *name, void (*destructor)(PyObject * capsule)))                   \
    X(capsule_pointer, "PyCapsule_GetPointer", void *, (PyObject * capsule, const char *name))     \
    X(new_function, "PyCFunction_NewEx", PyObject *,                                               \
      (PyMethod * method, PyObject * self, PyObject * module))                                     \
    X(builtin_function, "PyCFunction_GetFunction", PyFunction, (PyObject * function))              \
    X(builtin_self, "PyCFunction_GetSelf", PyObject *, (PyObject * function))                      \
    X(call, "PyObject_CallFunctionObjArgs", PyObject *, (PyObject * callable, ...))                \
    X(import_module, "PyImport_ImportModule", PyObject *, (const char *name))                      \
    X(system_object, "PySys_GetObject", PyObject *, (const char *name))                            \
    X(list_size, "PyList_Size", PySize, (PyObject * list))                                         \
    X(list_item, "PyList_GetItem", PyObject *, (PyObject * list, PySize index))                    \
    X(tuple_item, "PyTuple_GetItem", PyObject *, (PyObject * tuple, PySize index))                 \
    X(dict_item, "PyDict_GetItemString", PyObject *, (PyObject * dict, const char *key))           \
    X(dict_clear, "PyDict_Clear", void, (PyObject * dict))                                         \
    X(new_weakref, "PyWeakref_NewRef", PyObject *, (PyObject * object, PyObject * callback))

/* Functions that not every version has; the pointer is NULL if the function is missing. */
#define PYTHON_OPTIONAL(X)                                                                         \
    X(frame_instruction, "PyFrame_GetLasti", int, (PyObject * frame)) /* 3.11 */                   \
    X(frame_variable, "PyFrame_GetVarString", PyObject *,                                          \
      (PyObject * frame, const char *name))                                    /* 3.12 */          \
    X(frame_locals, "PyFrame_GetLocals", PyObject *, (PyObject * frame))       /* 3.11 */          \
    X(weakref_object, "PyWeakref_GetObject", PyObject *, (PyObject * weakref)) /* to 3.14 */       \
    X(weakref_take, "PyWeakref_GetRef", int, (PyObject * weakref, PyObject * *object)) /* 3.13 */  \
    X(set_profile_in, "_PyEval_SetProfile", int,                                                   \
      (PyThread * thread, PyProfile function, PyObject * object))                                  \
    X(current_frame, "PyEval_GetFrame", PyObject *, (void))                                        \
    X(is_finalizing, "Py_IsFinalizing", int, (void))   /* 3.13 */                                  \
    X(was_finalizing, "_Py_IsFinalizing", int, (void)) /* its name before 3.13 */                  \
    X(disable_collector, "PyGC_Disable", int, (void))  /* 3.10 */                                  \
    X(enable_collector, "PyGC_Enable", int, (void))    /* 3.10 */

typedef struct PythonApi {
#define PYTHON_MEMBER(member, symbol, result, parameters) result(*member) parameters;
    PYTHON_FUNCTIONS(PYTHON_MEMBER)
    PYTHON_OPTIONAL(PYTHON_MEMBER)
#undef PYTHON_MEMBER
    PyObject *none;
    PyObject *module_type, *capsule_type, *type_type;
    /* types of C functions: without a class, and with a class */
    PyObject *builtin_type, *method_type;
    PyObject *descriptor_type; /* type of unbound methods */
    int minor;                 /* the number after "3." of the version */
} PythonApi;

/* Set once in each process. */
extern PythonApi python_api;

/* Fills python_api. Returns NULL, or the reason why this interpreter cannot be used. */
const char *python_api_find(void);

/* Calls `function` as if it ran in the given thread, or in each thread of the interpreter: the
 * thread's state is current, no exception is set, and the garbage collector is off. `function` must
 * not end a thread. The caller must hold the interpreter's lock, which Python 3.13 and later
 * release for a moment. */
void python_api_run_as(PyThread *thread, void (*function)(PyThread *thread, void *user),
                       void *user);
void python_api_run_as_each(void (*function)(PyThread *thread, void *user), void *user);

/* Returns whether references may be counted without a call, like the macros of the stable ABI did.
 * This is allowed only before 3.12, which introduced immortal objects. */
static inline int python_counts_plainly(void)
{
    return __builtin_expect(python_api.minor < 12, 1);
}

static inline void python_ref(PyObject *object)
{
    if (python_counts_plainly())
        object->references++;
    else
        python_api.ref(object);
}

static inline void python_unref(PyObject *object)
{
    if (python_counts_plainly() && object->references > 1)
        object->references--;
    else
        python_api.unref(object);
}

#endif
