/* SPDX-License-Identifier: Apache-2.0 */
#include <strobe/helpers/python.h>

#include <dlfcn.h>

const char *strobe_python_find(Python *python)
{
#define PYTHON_FIND(member, symbol, result, parameters)                                            \
    *(void **)&python->member = dlsym(RTLD_DEFAULT, symbol);                                       \
    if (!python->member)                                                                           \
        return symbol;
    PYTHON_FUNCTIONS(PYTHON_FIND)
#undef PYTHON_FIND
    python->none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
    return python->none ? NULL : "_Py_NoneStruct";
}

PyObject *strobe_python_own_function(const Python *python, const char *module_name,
                                     const char *name)
{
    PyObject *modules = python->modules(); /* a borrowed reference */
    PyObject *package = modules ? python->dict_item(modules, "strobe._strobe") : NULL;
    PyObject *module = package ? python->import_module(module_name) : NULL;
    PyObject *function = module ? python->get_attribute(module, name) : NULL;

    if (module)
        python->unref(module);
    if (!function)
        python->clear_error();
    return function;
}
