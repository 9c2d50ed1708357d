/* SPDX-License-Identifier: Apache-2.0 */
#include "test-driver.h"

#include <glib.h>
#include <string.h>

TestDriver test_driver = {.lock = PTHREAD_MUTEX_INITIALIZER};

static TestEvent *make_event(void)
{
    TestEvent *event = g_new0(TestEvent, 1);

    pthread_mutex_init(&event->lock, NULL);
    atomic_init(&event->references, 2); /* one reference of the caller, one of the line */
    atomic_init(&event->status, CL_SUBMITTED);
    event->time[0] = event->time[1] = atomic_fetch_add(&test_driver.clock, 10) + 1;
    atomic_fetch_add(&test_driver.n_events, 1);
    return event;
}

static cl_int retain_event(cl_event handle)
{
    TestEvent *event = (TestEvent *)handle;

    g_assert_cmpint(atomic_fetch_add(&event->references, 1), >, 0);
    return CL_SUCCESS;
}

static cl_int release_event(cl_event handle)
{
    TestEvent *event = (TestEvent *)handle;
    int before = atomic_fetch_sub(&event->references, 1);

    g_assert_cmpint(before, >, 0);
    if (before == 1) {
        atomic_fetch_sub(&test_driver.n_events, 1);
        pthread_mutex_destroy(&event->lock);
        g_free(event);
    }
    return CL_SUCCESS;
}

void test_driver_complete(TestEvent *event)
{
    event->time[2] = atomic_fetch_add(&test_driver.clock, 10);
    event->time[3] = atomic_fetch_add(&test_driver.clock, 10);
    pthread_mutex_lock(&event->lock);
    atomic_store(&event->status, CL_COMPLETE);
    void(CL_CALLBACK * reported)(cl_event, cl_int, void *) = event->reported;
    event->reported = NULL;
    pthread_mutex_unlock(&event->lock);
    atomic_fetch_sub(&test_driver.n_pending, 1);
    if (reported)
        reported((cl_event)event, CL_COMPLETE, event->data);
    release_event((cl_event)event);
}

static cl_int set_callback(cl_event handle, cl_int at,
                           void(CL_CALLBACK *reported)(cl_event, cl_int, void *), void *data)
{
    TestEvent *event = (TestEvent *)handle;

    if (atomic_load(&test_driver.fails_callback))
        return CL_OUT_OF_RESOURCES;
    pthread_mutex_lock(&event->lock);
    int is_complete = atomic_load(&event->status) == CL_COMPLETE;
    if (!is_complete) {
        event->reported = reported;
        event->data = data;
    }
    pthread_mutex_unlock(&event->lock);
    if (is_complete)
        reported(handle, CL_COMPLETE, data);
    return CL_SUCCESS;
}

static cl_int launch_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint n,
                            const size_t *offset, const size_t *global, const size_t *local,
                            cl_uint n_waits, const cl_event *waits, cl_event *event)
{
    TestEvent *made;

    if (n == 0)
        return CL_INVALID_WORK_DIMENSION;
    atomic_fetch_add(&test_driver.n_pending, 1);
    made = make_event();
    if (event)
        *event = (cl_event)made;
    else
        release_event((cl_event)made);
    pthread_mutex_lock(&test_driver.lock);
    made->next = test_driver.line;
    test_driver.line = made;
    pthread_mutex_unlock(&test_driver.lock);
    return CL_SUCCESS;
}

static cl_int finish_queue(cl_command_queue queue)
{
    while (atomic_load(&test_driver.n_pending) > 0)
        g_thread_yield();
    return CL_SUCCESS;
}

static cl_int wait_for(cl_uint n, const cl_event *events)
{
    for (cl_uint i = 0; i < n; i++)
        while (atomic_load(&((TestEvent *)events[i])->status) > CL_COMPLETE)
            g_thread_yield();
    return CL_SUCCESS;
}

static cl_int write_value(const void *value, size_t length, size_t size, void *place,
                          size_t *size_ret)
{
    if (place && size < length)
        return CL_INVALID_VALUE;
    if (place)
        memcpy(place, value, length);
    if (size_ret)
        *size_ret = length;
    return CL_SUCCESS;
}

static cl_int event_info(cl_event handle, cl_event_info which, size_t size, void *place,
                         size_t *size_ret)
{
    TestEvent *event = (TestEvent *)handle;
    cl_int value = which == CL_EVENT_REFERENCE_COUNT ? atomic_load(&event->references)
                                                     : atomic_load(&event->status);
    cl_command_queue queue = (cl_command_queue)&test_driver;

    if (which == CL_EVENT_COMMAND_QUEUE)
        return write_value(&queue, sizeof queue, size, place, size_ret);
    return write_value(&value, sizeof value, size, place, size_ret);
}

static cl_int profiling_info(cl_event handle, cl_profiling_info which, size_t size, void *place,
                             size_t *size_ret)
{
    TestEvent *event = (TestEvent *)handle;

    if (atomic_load(&event->status) > CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return write_value(&event->time[which - CL_PROFILING_COMMAND_QUEUED], sizeof(cl_ulong), size,
                       place, size_ret);
}

static cl_int device_info(cl_device_id device, cl_device_info which, size_t size, void *place,
                          size_t *size_ret)
{
    cl_device_type type = CL_DEVICE_TYPE_GPU;

    if (which == CL_DEVICE_TYPE)
        return write_value(&type, sizeof type, size, place, size_ret);
    return write_value("Fast", 5, size, place, size_ret);
}

static cl_int kernel_info(cl_kernel kernel, cl_kernel_info which, size_t size, void *place,
                          size_t *size_ret)
{
    return write_value("sum", 4, size, place, size_ret);
}

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties, cl_int *status)
{
    test_driver.made_with = properties;
    *status = CL_SUCCESS;
    return (cl_command_queue)&test_driver;
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info which, size_t size,
                         void *place, size_t *size_ret)
{
    if (which != CL_QUEUE_PROPERTIES)
        return CL_INVALID_VALUE;
    return write_value(&test_driver.made_with, sizeof test_driver.made_with, size, place, size_ret);
}

static cl_int set_property(cl_command_queue queue, cl_command_queue_properties properties,
                           cl_bool enable, cl_command_queue_properties *old)
{
    if (old)
        *old = test_driver.made_with;
    test_driver.made_with =
        enable ? test_driver.made_with | properties : test_driver.made_with & ~properties;
    return CL_SUCCESS;
}

/* Returns the newest command first. */
TestEvent *test_driver_take(void)
{
    pthread_mutex_lock(&test_driver.lock);
    TestEvent *event = test_driver.line;
    test_driver.line = event ? event->next : NULL;
    pthread_mutex_unlock(&test_driver.lock);
    return event;
}

void test_driver_complete_all(void)
{
    TestEvent *event;

    while ((event = test_driver_take()))
        test_driver_complete(event);
}

void test_driver_fill(cl_icd_dispatch *table)
{
    atomic_init(&test_driver.clock, 1000000);
    table->clCreateCommandQueue = create_queue;
    table->clGetCommandQueueInfo = queue_info;
    table->clSetCommandQueueProperty = set_property;
    table->clGetDeviceInfo = device_info;
    table->clGetKernelInfo = kernel_info;
    table->clEnqueueNDRangeKernel = launch_kernel;
    table->clFinish = finish_queue;
    table->clWaitForEvents = wait_for;
    table->clGetEventInfo = event_info;
    table->clGetEventProfilingInfo = profiling_info;
    table->clRetainEvent = retain_event;
    table->clReleaseEvent = release_event;
    table->clSetEventCallback = set_callback;
}
