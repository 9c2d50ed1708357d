/* SPDX-License-Identifier: Apache-2.0 */
/* Records a call that puts a command into a queue, and follows the command. */
#ifndef STROBE_PLUGINS_OPENCL_ENQUEUE_H
#define STROBE_PLUGINS_OPENCL_ENQUEUE_H

#include "commands.h"
#include "layer.h"
#include "state.h"

typedef struct OpenclEnqueue {
    OpenclCommand *command; /* NULL: the command is not followed */
    cl_event *event;        /* address at which the driver stores the event */
    cl_event own;           /* memory for the event if the program does not want it */
    int is_blocking, is_untimed;
} OpenclEnqueue;

/* Begins the call. Returns the address at which the driver must store the event. */
cl_event *opencl_enqueue_begin(OpenclEnqueue *call, const char *name, cl_command_queue queue,
                               uint8_t command_type, cl_event *event);

/* Ends the call. Returns `status`. */
cl_int opencl_enqueue_end(OpenclEnqueue *call, cl_int status);

static inline void opencl_enqueue_bytes(OpenclEnqueue *call, uint64_t bytes)
{
    if (call->command)
        call->command->work.bytes = bytes;
}

/* Defines a function whose last parameters are the number of events to wait for, their list, and
 * `event`. `describe_` consists of statements that describe the command in `call`. */
#define OPENCL_ENQUEUE(name_, sort_, params_, args_, describe_)                                    \
    static cl_int CL_API_CALL name_##_traced params_                                               \
    {                                                                                              \
        OpenclEnqueue call;                                                                        \
        if (!opencl_on())                                                                          \
            return opencl_below.name_ args_;                                                       \
        event = opencl_enqueue_begin(&call, #name_, queue, sort_, event);                          \
        describe_;                                                                                 \
        return opencl_enqueue_end(&call, opencl_below.name_ args_);                                \
    }

#endif
