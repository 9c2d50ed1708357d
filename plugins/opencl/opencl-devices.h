/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the devices on which the program has queues: their numbers, names, groups in the trace, and
 * clocks. */
#ifndef STROBE_PLUGINS_OPENCL_DEVICES_H
#define STROBE_PLUGINS_OPENCL_DEVICES_H

#include <pthread.h>
#include <strobe/collector.h>

#include "layer.h"
#include "opencl-texts.h"

#define OPENCL_DEVICES_MAX 64u

typedef struct OpenclPair {
    int64_t device_time, host_time; /* ns; host_time is of CLOCK_MONOTONIC */
    uint64_t width_ns;              /* 0: no pair was read */
} OpenclPair;

/* The state of the functions in opencl-device-clock.h. */
typedef struct OpenclClock {
    pthread_mutex_t lock; /* held by the thread that measures */
    cl_context context;   /* the layer's own context, for markers */
    cl_command_queue queue;
    int has_no_timer, has_no_markers; /* these sources of pairs were tried without success */
    _Atomic int needs_markers;        /* the program's commands yield no pairs */
    OpenclPair last;
    /* time of CLOCK_MONOTONIC from which on an enqueue reads the next pair */
    _Atomic int64_t due_ns;
    _Atomic int n_wanted;     /* number of commands that may still yield a pair */
    _Atomic uint64_t best_ns; /* width of the narrowest pair from a command */
    /* track of the pairs; the upper half is the session in which the track is valid */
    _Atomic uint64_t track;
} OpenclClock;

typedef struct OpenclDevice {
    cl_device_id id;
    int32_t number;         /* devices are numbered in the order of their first queues */
    const OpenclText *core; /* word for the type of the device, for example CPU or GPU */
    char group[256];        /* "OpenCL <name>" */
    OpenclClock clock;
} OpenclDevice;

/* Returns the device, and adds it if it is new. Returns NULL if there are too many devices. Takes a
 * lock only for a new device. Any thread may call this function. */
OpenclDevice *opencl_device(cl_device_id id);

/* Returns a device by its number; NULL: there is none. */
OpenclDevice *opencl_device_at(uint32_t number);

void opencl_devices_after_fork(void);

#endif
