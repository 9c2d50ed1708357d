/* SPDX-License-Identifier: Apache-2.0 */
#include "python.h"

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
