/* SPDX-License-Identifier: Apache-2.0 */
/* Records calls into the OpenCL interface, and defines the functions that only record
 * themselves. */
#ifndef STROBE_PLUGINS_OPENCL_CALLS_H
#define STROBE_PLUGINS_OPENCL_CALLS_H

#include <strobe/kinds.h>

#include "layer.h"
#include "opencl-texts.h"

/* Key of the present call on the calling thread: the address of the function's stack frame, which
 * is different for each open call of the thread. */
#define OPENCL_CALL ((uint64_t)(uintptr_t)__builtin_frame_address(0))

void opencl_call_begin(uint64_t call, const char *name);
/* Ends a call. `connection` is absent if the call caused no task; `mode` and `item` may be NULL. */
void opencl_call_end(uint64_t call, uint64_t connection, const OpenclText *mode,
                     const OpenclText *item);

/* Defines a function that only records its calls. The macro's arguments are the function's result
 * type, its name, its parameters as declared, and the names of its parameters. */
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
