/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl-devices.h"

#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    _Atomic uint32_t n;
    OpenclDevice device[OPENCL_DEVICES_MAX];
} devices = {.lock = PTHREAD_MUTEX_INITIALIZER};

OpenclDevice *opencl_device_at(uint32_t number)
{
    return number < atomic_load_explicit(&devices.n, memory_order_acquire) ? &devices.device[number]
                                                                           : NULL;
}

static OpenclDevice *find_device(cl_device_id id)
{
    OpenclDevice *device;

    for (uint32_t i = 0; (device = opencl_device_at(i)); i++)
        if (device->id == id)
            return device;
    return NULL;
}

static const OpenclText *core_of(cl_device_id id)
{
    cl_device_type type = 0;
    const char *word = "CUSTOM";

    if (opencl_below.clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
        return NULL;
    if (type & CL_DEVICE_TYPE_GPU)
        word = "GPU";
    else if (type & CL_DEVICE_TYPE_CPU)
        word = "CPU";
    else if (type & CL_DEVICE_TYPE_ACCELERATOR)
        word = "ACCELERATOR";
    return opencl_text(word, strlen(word));
}

/* Sets the name of the device's group to the device's name. If the name is longer than the buffer,
 * the driver refuses, and the group has no name. */
static void name_group(OpenclDevice *device)
{
    char name[sizeof device->group - sizeof "OpenCL "] = "";

    if (opencl_below.clGetDeviceInfo(device->id, CL_DEVICE_NAME, sizeof name, name, NULL) !=
        CL_SUCCESS)
        name[0] = '\0';
    name[sizeof name - 1] = '\0';
    snprintf(device->group, sizeof device->group, "OpenCL %s", *name ? name : "device");
}

static OpenclDevice *add_device(cl_device_id id)
{
    uint32_t n = atomic_load(&devices.n);

    if (n == OPENCL_DEVICES_MAX)
        return NULL;
    OpenclDevice *device = &devices.device[n];
    device->id = id;
    device->number = (int32_t)n;
    device->core = core_of(id);
    name_group(device);
    memset(&device->clock, 0, sizeof device->clock);
    pthread_mutex_init(&device->clock.lock, NULL);
    atomic_store_explicit(&devices.n, n + 1, memory_order_release);
    return device;
}

OpenclDevice *opencl_device(cl_device_id id)
{
    OpenclDevice *device = find_device(id);

    if (device || !id)
        return device;
    pthread_mutex_lock(&devices.lock);
    device = find_device(id);
    if (!device)
        device = add_device(id);
    pthread_mutex_unlock(&devices.lock);
    return device;
}

void opencl_devices_after_fork(void)
{
    pthread_mutex_init(&devices.lock, NULL);
    /* in the forked child the driver has no threads, so devices must be found again */
    atomic_store(&devices.n, 0);
}
