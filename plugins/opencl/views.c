/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the program the same information about its objects as without this layer. */
#include <sched.h>
#include <string.h>

#include "opencl-calls.h"
#include "commands.h"

static const OpenclQueue *find_forced(cl_command_queue handle)
{
    OpenclQueue *queue = opencl_queues_are_forced() ? opencl_queue(handle) : NULL;

    return queue && atomic_load_explicit(&queue->is_forced, memory_order_relaxed) ? queue : NULL;
}

/* Removes profiling from a bit field that the driver has written. */
static void hide_profiling(void *value)
{
    cl_command_queue_properties properties;

    memcpy(&properties, value, sizeof properties);
    properties &= ~(cl_command_queue_properties)CL_QUEUE_PROFILING_ENABLE;
    memcpy(value, &properties, sizeof properties);
}

static cl_int give_list(const OpenclQueue *queue, size_t size, void *value, size_t *size_ret)
{
    size_t length = queue->n_asked * sizeof *queue->asked;

    if (value && size < length)
        return CL_INVALID_VALUE;
    if (value && length)
        memcpy(value, queue->asked, length);
    if (size_ret)
        *size_ret = length;
    return CL_SUCCESS;
}

/* Makes a queue with an empty list of properties for the device of another queue; NULL: it cannot
 * be made. */
static cl_command_queue make_with_empty_list(cl_command_queue like)
{
    const cl_queue_properties empty[] = {0};
    cl_context context;
    cl_device_id device;
    cl_int status;

    if (opencl_below.clGetCommandQueueInfo(like, CL_QUEUE_CONTEXT, sizeof context, &context,
                                           NULL) != CL_SUCCESS ||
        opencl_below.clGetCommandQueueInfo(like, CL_QUEUE_DEVICE, sizeof device, &device, NULL) !=
            CL_SUCCESS)
        return NULL;
    return opencl_below.clCreateCommandQueueWithProperties(context, device, empty, &status);
}

/* Queries a temporary queue, because drivers differ: some report an empty list, others none. */
static cl_int give_empty_list(const OpenclQueue *queue, cl_command_queue handle, size_t size,
                              void *value, size_t *size_ret)
{
    cl_command_queue temporary = make_with_empty_list(handle);

    if (!temporary)
        return give_list(queue, size, value, size_ret);
    cl_int status = opencl_below.clGetCommandQueueInfo(temporary, CL_QUEUE_PROPERTIES_ARRAY, size,
                                                       value, size_ret);
    opencl_below.clReleaseCommandQueue(temporary);
    return status;
}

/* Releases the layer's events before the queue's references are counted, because these events hold
 * references to their queue. */
static cl_int CL_API_CALL clGetCommandQueueInfo_traced(cl_command_queue handle,
                                                       cl_command_queue_info which, size_t size,
                                                       void *value, size_t *size_ret)
{
    const OpenclQueue *queue = find_forced(handle);
    cl_int status;

    if (which == CL_QUEUE_REFERENCE_COUNT)
        opencl_commands_reap_all();
    if (queue && which == CL_QUEUE_PROPERTIES_ARRAY) {
        status = opencl_below.clGetCommandQueueInfo(handle, which, 0, NULL, NULL);
        if (status != CL_SUCCESS)
            return status;
        return queue->n_asked == 1 ? give_empty_list(queue, handle, size, value, size_ret)
                                   : give_list(queue, size, value, size_ret);
    }
    status = opencl_below.clGetCommandQueueInfo(handle, which, size, value, size_ret);
    if (queue && which == CL_QUEUE_PROPERTIES && status == CL_SUCCESS && value)
        hide_profiling(value);
    return status;
}

/* Passes the call to the driver. Sets `old` to the properties that the program would get without
 * this layer. */
static cl_int CL_API_CALL clSetCommandQueueProperty_traced(cl_command_queue handle,
                                                           cl_command_queue_properties properties,
                                                           cl_bool enable,
                                                           cl_command_queue_properties *old)
{
    OpenclQueue *queue = opencl_queue(handle);
    cl_int status = opencl_below.clSetCommandQueueProperty(handle, properties, enable, old);

    if (status != CL_SUCCESS || !queue)
        return status;
    if (old && atomic_load(&queue->is_forced))
        hide_profiling(old);
    if (properties & CL_QUEUE_PROFILING_ENABLE) {
        atomic_store(&queue->is_profiled, enable && queue->device);
        atomic_store(&queue->is_forced, 0);
    }
    return status;
}

static cl_int CL_API_CALL clGetEventProfilingInfo_traced(cl_event event, cl_profiling_info which,
                                                         size_t size, void *value, size_t *size_ret)
{
    cl_command_queue queue = NULL;

    if (opencl_queues_are_forced() &&
        opencl_below.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof queue, &queue, NULL) ==
            CL_SUCCESS &&
        queue && find_forced(queue))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    return opencl_below.clGetEventProfilingInfo(event, which, size, value, size_ret);
}

/* Writes the number of references that the driver counts, without those of the layer. Repeats the
 * query if the number of the layer's references has changed meanwhile. */
static cl_int count_references(cl_event event, size_t size, void *value, size_t *size_ret)
{
    cl_uint before = opencl_commands_holds(event), n;
    cl_int status;

    for (int i = 0;; i++) {
        status =
            opencl_below.clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, size, value, size_ret);
        cl_uint after = opencl_commands_holds(event);
        if (before == after || i == 100)
            break;
        before = after;
        sched_yield();
    }
    if (status == CL_SUCCESS && value) {
        memcpy(&n, value, sizeof n);
        n -= n > before ? before : 0;
        memcpy(value, &n, sizeof n);
    }
    return status;
}

/* Records the command if the query shows that the command is complete, because a program that polls
 * has waited for the command. */
static cl_int CL_API_CALL clGetEventInfo_traced(cl_event event, cl_event_info which, size_t size,
                                                void *value, size_t *size_ret)
{
    if (which == CL_EVENT_REFERENCE_COUNT && value && size >= sizeof(cl_uint))
        return count_references(event, size, value, size_ret);
    cl_int status = opencl_below.clGetEventInfo(event, which, size, value, size_ret);
    cl_int execution;
    if (opencl_on() && which == CL_EVENT_COMMAND_EXECUTION_STATUS && status == CL_SUCCESS &&
        value) {
        memcpy(&execution, value, sizeof execution);
        if (execution <= CL_COMPLETE)
            opencl_commands_release(event);
    }
    return status;
}

/* Releases the layer's events before the object's references are counted, because these events may
 * hold references to the object. */
#define COUNTED(name_, handle_type_, info_type_, count_)                                           \
    static cl_int CL_API_CALL name_##_traced(handle_type_ handle, info_type_ which, size_t size,   \
                                             void *value, size_t *size_ret)                        \
    {                                                                                              \
        if (which == count_)                                                                       \
            opencl_commands_reap_all();                                                            \
        return opencl_below.name_(handle, which, size, value, size_ret);                           \
    }

COUNTED(clGetContextInfo, cl_context, cl_context_info, CL_CONTEXT_REFERENCE_COUNT)
COUNTED(clGetKernelInfo, cl_kernel, cl_kernel_info, CL_KERNEL_REFERENCE_COUNT)
COUNTED(clGetMemObjectInfo, cl_mem, cl_mem_info, CL_MEM_REFERENCE_COUNT)
COUNTED(clGetProgramInfo, cl_program, cl_program_info, CL_PROGRAM_REFERENCE_COUNT)

const OpenclEntry opencl_view_entries[] = {
    OPENCL_ENTRY(clGetCommandQueueInfo),
    OPENCL_ENTRY(clSetCommandQueueProperty),
    OPENCL_ENTRY(clGetEventProfilingInfo),
    OPENCL_ENTRY(clGetEventInfo),
    OPENCL_ENTRY(clGetContextInfo),
    OPENCL_ENTRY(clGetKernelInfo),
    OPENCL_ENTRY(clGetMemObjectInfo),
    OPENCL_ENTRY(clGetProgramInfo),
    {NULL, 0, NULL},
};
