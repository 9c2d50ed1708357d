/* SPDX-License-Identifier: Apache-2.0 */
#include "enqueue.h"

#include "opencl-calls.h"
#include "opencl-device-clock.h"

cl_event *opencl_enqueue_begin(OpenclEnqueue *call, const char *name, cl_command_queue handle,
                               uint8_t command_type, cl_event *event)
{
    OpenclQueue *queue = opencl_queue(handle);

    *call = (OpenclEnqueue){.event = event};
    opencl_call_begin((uint64_t)(uintptr_t)call, name);
    if (queue && queue->is_profiled)
        call->command = opencl_command_new(queue);
    call->is_untimed = queue && !queue->is_profiled;
    if (!call->command)
        return event;
    call->command->work.command_type = command_type;
    call->command->work.bytes = STROBE_ABSENT_U64;
    call->command->work.connection = opencl_link_id();
    if (!event)
        call->event = &call->own;
    opencl_clock_refresh(queue->device);
    call->command->work.before_ns = opencl_clock_before(&queue->device->clock);
    return call->event;
}

/* Ensures that the layer has a reference to the event: the driver's reference if the program wants
 * no event, otherwise an additional one. Returns 0 if there is no event. */
static int hold_event(OpenclEnqueue *call)
{
    if (!*call->event)
        return 0;
    return call->event == &call->own || opencl_below.clRetainEvent(*call->event) == CL_SUCCESS;
}

/* Follows the command. If the call has waited for the command and the queue is in order, all
 * earlier commands are complete, too. Records them now, because the program possibly makes no other
 * call that waits for them. */
static void follow_command(OpenclEnqueue *call)
{
    OpenclCommand *command = call->command;
    OpenclQueue *queue = command->queue;

    opencl_command_follow(command, *call->event, call->is_blocking);
    if (call->is_blocking && queue->is_in_order)
        opencl_commands_reap(queue);
}

cl_int opencl_enqueue_end(OpenclEnqueue *call, cl_int status)
{
    OpenclCommand *command = call->command;
    uint64_t connection = STROBE_ABSENT_U64;
    const OpenclText *item = NULL;
    int is_followed;

    if (command && command->work.before_ns)
        command->work.after_ns = opencl_clock_now();
    is_followed = status == CL_SUCCESS && command && hold_event(call);

    if (is_followed) {
        connection = command->work.connection;
        item = command->work.kernel;
    }
    opencl_call_end((uint64_t)(uintptr_t)call, connection, NULL, item);
    if (call->is_untimed && status == CL_SUCCESS)
        opencl_count(&opencl.n_untimed);
    if (is_followed)
        follow_command(call);
    else if (command)
        opencl_command_drop(command);
    return status;
}
