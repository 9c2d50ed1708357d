/* SPDX-License-Identifier: Apache-2.0 */
/* The devices on which the program has queues: number, name, group in the trace, clock. */
#ifndef STROBE_PLUGINS_OPENCL_DEVICES_H
#define STROBE_PLUGINS_OPENCL_DEVICES_H

#include <pthread.h>
#include <strobe/collector.h>

#include "layer.h"
#include "opencl-texts.h"

#define OPENCL_DEVICES_MAX 64u

typedef struct OpenclPair {
    int64_t device_time, host_time; /* ns; host_time is of CLOCK_MONOTONIC */
    uint64_t width_ns;              /* 0: no pair was taken */
} OpenclPair;

/* See opencl-device-clock.h. */
typedef struct OpenclClock {
    pthread_mutex_t lock; /* only one thread at a time measures */
    cl_context context;   /* the layer's own context, for markers */
    cl_command_queue queue;
    int has_no_timer, has_no_markers; /* these ways were tried without success */
    _Atomic int needs_markers;        /* the program's commands yield no pairs */
    OpenclPair last;
    /* time of CLOCK_MONOTONIC from which on an enqueue reads the next pair */
    _Atomic int64_t due_ns;
    _Atomic int n_wanted;     /* number of commands that may still yield a pair */
    _Atomic uint64_t best_ns; /* width of the narrowest pair that commands yielded */
    /* track of the pairs; the upper half is the session to which it belongs */
    _Atomic uint64_t track;
} OpenclClock;

typedef struct OpenclDevice {
    cl_device_id id;
    int32_t number;         /* devices are numbered in the order of their first queues */
    const OpenclText *core; /* CPU, GPU ... */
    char group[256];        /* "OpenCL <name>" */
    OpenclClock clock;
} OpenclDevice;

/* Finds or adds the device. Returns NULL if there are too many devices. Any thread; takes a lock
 * only for a new device. */
OpenclDevice *opencl_device(cl_device_id id);

/* Returns a device by number, NULL after the last one. */
OpenclDevice *opencl_device_at(uint32_t number);

void opencl_devices_after_fork(void);

#endif
