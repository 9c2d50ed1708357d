/* SPDX-License-Identifier: Apache-2.0 */
/* Records a finished command as `device_task`. */
#ifndef STROBE_PLUGINS_OPENCL_TASKS_H
#define STROBE_PLUGINS_OPENCL_TASKS_H

#include <strobe/kinds.h>

#include "queues.h"
#include "opencl-texts.h"

/* device_task, extended by fields of OpenCL. */
typedef struct OpenclTask {
    struct strobe_device_task task;
    uint64_t start; /* ns in the device's own clock */
    /* time from the entry into the queue to the start; absent: not reported */
    uint64_t queued_ns;
    uint64_t submit_ns;         /* time from the hand-over to the device to the start */
    StrobeStringId global_size; /* work-items, absent: no kernel */
    uint32_t reserved;
} OpenclTask;

extern StrobeKind opencl_task_kind;

/* Types of commands; indices into the table of words in opencl-tasks.c. */
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

/* Work of a command, as described by the call that put it into a queue. */
typedef struct OpenclWork {
    uint8_t command_type; /* OPENCL_KERNEL ... */
    uint8_t n_dimensions, has_local;
    const OpenclText *kernel; /* name of the kernel, NULL: not a kernel, or not known */
    uint64_t connection;
    uint64_t bytes; /* absent: not a copy, or not known */
    size_t global[3], local[3];
    /* times of the host's clock, before and after the enqueueing call; 0: not read */
    int64_t before_ns, after_ns;
} OpenclWork;

/* The four times that a driver reports, ns in the device's clock. */
typedef struct OpenclTimes {
    cl_ulong queued, submit, start, end; /* `queued` and `submit` may be 0: not reported */
    int64_t seen_ns; /* time of the host's clock when the end was seen; 0: not read */
} OpenclTimes;

/* Records the command with this number in its queue. */
void opencl_task_record(OpenclQueue *queue, uint32_t number, const OpenclWork *work,
                        const OpenclTimes *times);

#endif
