/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that are recorded as calls and do nothing else for us. */
#ifndef STROBE_PLUGINS_OPENCL_CALLS_H
#define STROBE_PLUGINS_OPENCL_CALLS_H

#include "layer.h"
#include "opencl.h"

/* One function: its result, its parameters as declared, and their names as arguments. */
#define OPENCL_TRACED(type_, name_, params_, args_)                                                \
    static type_ CL_API_CALL name_##_traced params_                                                \
    {                                                                                              \
        if (!opencl_on())                                                                          \
            return opencl_below.name_ args_;                                                       \
        opencl_call_begin(OPENCL_CALL, #name_);                                                    \
        type_ result = opencl_below.name_ args_;                                                   \
        opencl_call_end(OPENCL_CALL, STROBE_ABSENT_U64, NULL, NULL);                               \
        return result;                                                                             \
    }

#endif
