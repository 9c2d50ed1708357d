/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that the program has queues on: number, name, layer in the trace, clock. */
#ifndef STROBE_PLUGINS_OPENCL_DEVICES_H
#define STROBE_PLUGINS_OPENCL_DEVICES_H

#include <strobe/collector.h>

#include "device-clock.h"
#include "layer.h"
#include "texts.h"

#define OPENCL_DEVICES_MAX 64u

typedef struct OpenclDevice {
    cl_device_id id;
    int32_t number;         /* in the order of their first queues */
    const OpenclText *core; /* CPU, GPU ... */
    char group[256];        /* "OpenCL <name>" */
    OpenclClock clock;
} OpenclDevice;

/* Finds or adds it. NULL: there are too many. Any thread; takes a lock when it is new. */
OpenclDevice *opencl_device(cl_device_id id);

/* By number, NULL: there are no more. */
OpenclDevice *opencl_device_at(uint32_t number);

void opencl_devices_after_fork(void);

#endif
