/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues: their numbers, what the program asked for, and profiling where it did not ask for it.
 * What the program learns of such a queue is what it would learn without us.
 */
#ifndef STROBE_PLUGINS_OPENCL_QUEUES_H
#define STROBE_PLUGINS_OPENCL_QUEUES_H

#include <strobe/collector.h>

#include "opencl-devices.h"
#include "layer.h"

/* Commands in a queue's list before it is looked through. */
#define OPENCL_PRUNE_FIRST 256u

typedef struct OpenclQueue {
    cl_command_queue handle;
    OpenclDevice *device;
    uint32_t number;             /* in the order of making */
    uint8_t is_in_order;         /* a command is complete when a later one is */
    _Atomic uint8_t is_profiled; /* its events have times */
    _Atomic int is_forced;       /* ... which the program did not ask for */
    cl_queue_properties *asked;  /* list that it was made with, NULL: none; 0 at its end */
    size_t n_asked;              /* with that 0 */
    _Atomic uint64_t track;      /* its track, above it the session that it is of */
    _Atomic uint32_t n_commands; /* begun */
    _Atomic uint32_t n_held;     /* that still refer to it */
    _Atomic(struct OpenclCommand *)
        commands; /* not recorded yet, newest first, and some that are */
    _Atomic uint32_t n_listed, prune_at;
    struct OpenclQueue *next; /* among those whose handle another one has now */
} OpenclQueue;

/* Returns the facts about the queue; adds a queue whose creation we did not see. NULL: no queue,
 * or no memory. Any thread. */
OpenclQueue *opencl_queue(cl_command_queue handle);

/* Called with a queue whose handle another one has now: records what is complete in it. Set before
 * the first command; NULL: nothing is recorded. */
extern void (*opencl_queue_retire)(OpenclQueue *queue);

void opencl_queues_each(void (*each)(void *queue, void *user), void *user);

/* The queue's track in this session. */
StrobeTrackId opencl_queue_track(OpenclQueue *queue);

/* Makes a queue by a function like clCreateCommandQueueWithProperties. */
typedef cl_command_queue CL_API_CALL OpenclMakeQueue(cl_context, cl_device_id,
                                                     const cl_queue_properties *, cl_int *);
cl_command_queue opencl_queue_make(OpenclMakeQueue *make, cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *status);

/* Is there any queue with profiling that it was not asked for? */
int opencl_queues_are_forced(void);

void opencl_queues_after_fork(void);

#endif
