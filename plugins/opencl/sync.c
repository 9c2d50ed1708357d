/* SPDX-License-Identifier: Apache-2.0 */
/* Wraps the functions that wait for commands. Records the complete commands before the call
 * returns. */
#include "opencl-calls.h"
#include "commands.h"

OPENCL_TRACED(cl_int, clFinish, (cl_command_queue queue), (queue))
OPENCL_TRACED(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))
OPENCL_TRACED(cl_int, clReleaseContext, (cl_context context), (context))
OPENCL_TRACED(cl_int, clReleaseCommandQueue, (cl_command_queue queue), (queue))
OPENCL_TRACED(cl_int, clFlush, (cl_command_queue queue), (queue))
OPENCL_TRACED(cl_int, clSetUserEventStatus, (cl_event event, cl_int status), (event, status))
OPENCL_TRACED(cl_int, clEnqueueMarker, (cl_command_queue queue, cl_event *event), (queue, event))
OPENCL_TRACED(cl_int, clEnqueueBarrier, (cl_command_queue queue), (queue))
OPENCL_TRACED(cl_int, clEnqueueWaitForEvents,
              (cl_command_queue queue, cl_uint n, const cl_event *events), (queue, n, events))
OPENCL_TRACED(cl_int, clEnqueueMarkerWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event),
              (queue, n, waits, event))
OPENCL_TRACED(cl_int, clEnqueueBarrierWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event),
              (queue, n, waits, event))

static cl_int CL_API_CALL finish_queue(cl_command_queue handle)
{
    cl_int status = clFinish_traced(handle);
    OpenclQueue *queue = opencl_on() ? opencl_queue(handle) : NULL;

    if (queue)
        opencl_commands_reap(queue);
    return status;
}

/* Records the event's command. If its queue is in order, also records the commands before it. */
static void finish_event(cl_event event)
{
    cl_command_queue handle = NULL;
    OpenclQueue *queue;

    opencl_commands_release(event);
    if (opencl_below.clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof handle, &handle, NULL) !=
        CL_SUCCESS)
        return;
    queue = opencl_queue(handle);
    if (queue && queue->is_in_order)
        opencl_commands_reap(queue);
}

static cl_int CL_API_CALL wait_for_events(cl_uint n, const cl_event *events)
{
    cl_int status = clWaitForEvents_traced(n, events);

    for (cl_uint i = 0; opencl_on() && status == CL_SUCCESS && i < n; i++)
        finish_event(events[i]);
    return status;
}

/* Records the complete commands before the context is released, because their queue is needed for
 * this. */
static cl_int CL_API_CALL release_context(cl_context context)
{
    if (opencl_on())
        opencl_commands_reap_all();
    return clReleaseContext_traced(context);
}

static cl_int CL_API_CALL release_queue(cl_command_queue handle)
{
    OpenclQueue *queue = opencl_on() ? opencl_queue(handle) : NULL;

    if (queue)
        opencl_commands_reap(queue);
    return clReleaseCommandQueue_traced(handle);
}

const OpenclEntry opencl_sync_entries[] = {
    OPENCL_ENTRY_AS(clFinish, finish_queue),
    OPENCL_ENTRY_AS(clWaitForEvents, wait_for_events),
    OPENCL_ENTRY_AS(clReleaseContext, release_context),
    OPENCL_ENTRY_AS(clReleaseCommandQueue, release_queue),
    OPENCL_ENTRY(clFlush),
    OPENCL_ENTRY(clSetUserEventStatus),
    OPENCL_ENTRY(clEnqueueMarker),
    OPENCL_ENTRY(clEnqueueBarrier),
    OPENCL_ENTRY(clEnqueueWaitForEvents),
    OPENCL_ENTRY(clEnqueueMarkerWithWaitList),
    OPENCL_ENTRY(clEnqueueBarrierWithWaitList),
    {NULL, 0, NULL},
};
