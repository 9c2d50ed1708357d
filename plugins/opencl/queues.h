/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps data about queues: their numbers, and the properties that the program requested. Turns on
 * profiling for queues that the program made without it. If the program queries such a queue, it
 * gets the same answers as without this layer.
 */
#ifndef STROBE_PLUGINS_OPENCL_QUEUES_H
#define STROBE_PLUGINS_OPENCL_QUEUES_H

#include <strobe/collector.h>

#include "opencl-devices.h"
#include "layer.h"

/* Length of a queue's list at which it is first searched for finished commands. */
#define OPENCL_PRUNE_FIRST 256u

typedef struct OpenclQueue {
    cl_command_queue handle;
    OpenclDevice *device;
    uint32_t number; /* queues are numbered in the order in which they were made */
    /* the queue is in order: if a command is complete, all earlier commands are complete */
    uint8_t is_in_order;
    _Atomic uint8_t is_profiled; /* the events of its commands have times */
    /* the layer has turned on profiling, which the program did not request */
    _Atomic int is_forced;
    /* properties with which the program made the queue, including the 0 at their end; NULL: none */
    cl_queue_properties *asked;
    size_t n_asked; /* number of entries in `asked` */
    /* its track; the upper half is the session in which the track is valid */
    _Atomic uint64_t track;
    _Atomic uint32_t n_commands; /* number of commands so far */
    _Atomic uint32_t n_held;     /* number of commands that refer to the queue */
    _Atomic(struct OpenclCommand *)
        commands; /* commands that are not recorded yet, and some that are; newest first */
    _Atomic uint32_t n_listed, prune_at;
    struct OpenclQueue *next; /* next queue in the list of retired queues */
} OpenclQueue;

/* Returns the data of the queue; adds a queue that was created before the layer saw it. Returns
 * NULL if there is no such queue or no memory. Any thread may call this function. */
OpenclQueue *opencl_queue(cl_command_queue handle);

/* Called with a queue whose handle now belongs to another queue: records the queue's complete
 * commands. Must be set before the first command. NULL: the commands of such a queue are not
 * recorded. */
extern void (*opencl_queue_retire)(OpenclQueue *queue);

void opencl_queues_each(void (*each)(void *queue, void *user), void *user);

/* Returns the queue's track in this session. */
StrobeTrackId opencl_queue_track(OpenclQueue *queue);

/* A function like clCreateCommandQueueWithProperties, by which opencl_queue_make() makes a
 * queue. */
typedef cl_command_queue CL_API_CALL OpenclMakeQueue(cl_context, cl_device_id,
                                                     const cl_queue_properties *, cl_int *);
cl_command_queue opencl_queue_make(OpenclMakeQueue *make, cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *status);

/* Returns whether a queue has profiling that the program did not request. */
int opencl_queues_are_forced(void);

void opencl_queues_after_fork(void);

#endif
