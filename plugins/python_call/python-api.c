/* SPDX-License-Identifier: Apache-2.0 */
#include "python-api.h"

#include <dlfcn.h>
#include <stdio.h>

#include <strobe/helpers/interpreter.h>

PythonApi python_api;

static const char *find_functions(PythonApi *python)
{
#define PYTHON_FIND(member, symbol, result, parameters)                                            \
    *(void **)&python->member = dlsym(RTLD_DEFAULT, symbol);
#define PYTHON_NEED(member, symbol, result, parameters)                                            \
    PYTHON_FIND(member, symbol, result, parameters)                                                \
    if (!python->member)                                                                           \
        return "this Python has no " symbol;
    PYTHON_FUNCTIONS(PYTHON_NEED)
    PYTHON_OPTIONAL(PYTHON_FIND)
#undef PYTHON_NEED
#undef PYTHON_FIND
    return NULL;
}

static const char *find_objects(PythonApi *python)
{
    python->none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    python->module_type = dlsym(RTLD_DEFAULT, "PyModule_Type");
    python->capsule_type = dlsym(RTLD_DEFAULT, "PyCapsule_Type");
    python->type_type = dlsym(RTLD_DEFAULT, "PyType_Type");
    python->builtin_type = dlsym(RTLD_DEFAULT, "PyCFunction_Type");
    python->method_type = dlsym(RTLD_DEFAULT, "PyCMethod_Type");
    python->descriptor_type = dlsym(RTLD_DEFAULT, "PyMethodDescr_Type");
    return python->none && python->module_type && python->capsule_type && python->type_type &&
                   python->builtin_type && python->method_type && python->descriptor_type
               ? NULL
               : "this Python does not export its types";
}

const char *python_api_find(void)
{
    PythonApi *python = &python_api;
    const char *problem = find_functions(python);

    if (!problem)
        problem = find_objects(python);
    if (problem)
        return problem;
    if (sscanf(python->version(), "3.%d", &python->minor) != 1 || python->minor < 9)
        return "Python 3.9 or later is needed";
    if (strobe_interpreter_is_free_threaded())
        return "this Python is free-threaded (it has no global interpreter lock); neither calls "
               "nor stacks are recorded";
    if (dlsym(RTLD_DEFAULT, "_Py_PrintReferences"))
        return "this Python traces references (Py_TRACE_REFS); its calls cannot be recorded";
    if (!python->weakref_object && !python->weakref_take)
        return "this Python has neither PyWeakref_GetObject nor PyWeakref_GetRef";
    return NULL;
}

void python_api_run_as(PyThread *thread, void (*function)(PyThread *thread, void *user), void *user)
{
    const PythonApi *python = &python_api;
    int was_enabled = python->disable_collector ? python->disable_collector() : 0;
    PyThread *own = python->swap_thread(thread);
    PyObject *type, *value, *trace;

    python->take_error(&type, &value, &trace);
    function(thread, user);
    python->give_error(type, value, trace);
    python->swap_thread(own);
    if (was_enabled)
        python->enable_collector();
}

void python_api_run_as_each(void (*function)(PyThread *thread, void *user), void *user)
{
    const PythonApi *python = &python_api;
    PyThread *thread = python->first_thread(python->interpreter(python->thread()));

    for (; thread; thread = python->next_thread(thread))
        python_api_run_as(thread, function, user);
}
