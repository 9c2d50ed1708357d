/* SPDX-License-Identifier: Apache-2.0 */
/* Records a finished command as `device_task`. */
#ifndef STROBE_PLUGINS_OPENCL_TASKS_H
#define STROBE_PLUGINS_OPENCL_TASKS_H

#include <strobe/kinds.h>

#include "queues.h"
#include "opencl-texts.h"

/* The fields of device_task, followed by fields of OpenCL. */
typedef struct OpenclTask {
    struct strobe_device_task task;
    uint64_t start; /* ns in the device's own clock */
    /* time from entering the queue to the start; absent: not reported */
    uint64_t queued_ns;
    uint64_t submit_ns;         /* time from submission to the device to the start */
    StrobeStringId global_size; /* number of work-items; absent: the command is no kernel */
    uint32_t reserved;
} OpenclTask;

extern StrobeKind opencl_task_kind;

/* Types of commands. They are indexes in the table of words in opencl-tasks.c. */
enum {
    OPENCL_KERNEL,
    OPENCL_NATIVE_KERNEL,
    OPENCL_READ,
    OPENCL_WRITE,
    OPENCL_COPY,
    OPENCL_FILL,
    OPENCL_MAP,
    OPENCL_UNMAP,
    OPENCL_MIGRATE,
    OPENCL_SVM_COPY,
    OPENCL_SVM_FILL,
    OPENCL_SVM_MAP,
    OPENCL_SVM_UNMAP,
    OPENCL_SVM_MIGRATE,
    OPENCL_SVM_FREE,
    OPENCL_COMMAND_BUFFER,
    OPENCL_COMMAND_TYPES
};

/* The work of a command, as described by the call that put the command into its queue. */
typedef struct OpenclWork {
    uint8_t command_type; /* OPENCL_KERNEL ... */
    uint8_t n_dimensions, has_local;
    /* name of the kernel; NULL: the command is no kernel, or the name is unknown */
    const OpenclText *kernel;
    uint64_t connection;
    uint64_t bytes; /* absent: the command is no copy, or the size is unknown */
    size_t global[3], local[3];
    /* times of the host's clock before and after the call that enqueued the command; 0: not read */
    int64_t before_ns, after_ns;
} OpenclWork;

/* The four times that a driver reports for a command, in ns of the device's clock. */
typedef struct OpenclTimes {
    /* `queued` and `submit` may be 0, which means that they are not reported */
    cl_ulong queued, submit, start, end;
    int64_t seen_ns; /* time of the host's clock when the end was seen; 0: not read */
} OpenclTimes;

/* Records the command with this number in its queue. */
void opencl_task_record(OpenclQueue *queue, uint32_t number, const OpenclWork *work,
                        const OpenclTimes *times);

#endif
