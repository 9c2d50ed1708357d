/* SPDX-License-Identifier: Apache-2.0 */
#include "queues.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl-calls.h"
#include "opencl-device-clock.h"
#include "handle-table.h"
#include "state.h"

#define PROPERTIES_MAX 64u /* a longer list is passed to the driver unchanged */
#define CLOCK_LIMIT_NS 5000000u

static HandleTable table = HANDLE_TABLE_INIT;

void (*opencl_queue_retire)(OpenclQueue *queue);

static struct {
    pthread_mutex_t lock;
    OpenclQueue *retired; /* queues whose handle now belongs to another queue */
    _Atomic uint32_t n;
    _Atomic uint32_t n_forced; /* number of queues for which profiling was forced so far */
} queues = {.lock = PTHREAD_MUTEX_INITIALIZER};

int opencl_queues_are_forced(void)
{
    return atomic_load_explicit(&queues.n_forced, memory_order_relaxed) > 0;
}

void opencl_queues_each(void (*each)(void *queue, void *user), void *user)
{
    handle_table_each(&table, each, user);
}

/* Removes the commands of a queue in a forked child, because they belong to the parent. */
static void forget_commands(void *value, void *user)
{
    OpenclQueue *queue = value;

    atomic_store(&queue->commands, NULL);
    atomic_store(&queue->n_listed, 0);
}

void opencl_queues_after_fork(void)
{
    handle_table_after_fork(&table);
    pthread_mutex_init(&queues.lock, NULL);
    handle_table_each(&table, forget_commands, NULL);
}

/* ---- creation of queues ---- */

/* Returns a retired queue that has no commands, or a new queue. Queues are never freed, because a
 * thread that has found a queue may read it at any later time. */
static OpenclQueue *take_spare(void)
{
    OpenclQueue *queue, **at;

    pthread_mutex_lock(&queues.lock);
    for (at = &queues.retired; *at; at = &(*at)->next)
        if (atomic_load_explicit(&(*at)->n_held, memory_order_acquire) == 0)
            break;
    queue = *at;
    if (queue)
        *at = queue->next;
    pthread_mutex_unlock(&queues.lock);
    if (!queue)
        return calloc(1, sizeof *queue);
    free(queue->asked);
    queue->asked = NULL;
    queue->n_asked = 0;
    return queue;
}

/* Retires a queue whose handle now belongs to another queue. After the last commands of the queue
 * are recorded, its memory is used for a new queue. */
static void retire_queue(OpenclQueue *queue)
{
    if (opencl_queue_retire)
        opencl_queue_retire(queue);
    pthread_mutex_lock(&queues.lock);
    queue->next = queues.retired;
    queues.retired = queue;
    pthread_mutex_unlock(&queues.lock);
}

static OpenclQueue *add_queue(cl_command_queue handle, cl_device_id device,
                              cl_command_queue_properties properties)
{
    OpenclQueue *queue = take_spare();
    void *old;

    if (!queue)
        return NULL;
    queue->handle = handle;
    queue->device = opencl_device(device);
    queue->number = atomic_fetch_add(&queues.n, 1);
    queue->is_in_order = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    queue->is_profiled = queue->device && (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    atomic_store(&queue->is_forced, 0);
    atomic_store(&queue->track, 0);
    atomic_store(&queue->n_commands, 0);
    atomic_store(&queue->prune_at, OPENCL_PRUNE_FIRST);
    if (!handle_table_put(&table, handle, queue, &old)) {
        retire_queue(queue);
        return NULL;
    }
    if (old)
        retire_queue(old);
    return queue;
}

/* Stores the list of properties, because the program may query it. */
static void keep_asked(OpenclQueue *queue, const cl_queue_properties *properties, size_t n)
{
    queue->asked = n ? malloc(n * sizeof *properties) : NULL;
    if (!queue->asked)
        return;
    memcpy(queue->asked, properties, n * sizeof *properties);
    queue->n_asked = n;
}

/* Finishes a new queue. If no pair of the device's clock is known, measures the clock before the
 * first command. */
static void is_made(OpenclQueue *queue, int is_forced)
{
    if (!queue)
        return;
    atomic_store(&queue->is_forced, is_forced);
    if (is_forced)
        atomic_fetch_add(&queues.n_forced, 1);
    opencl_mind_exit();
    if (atomic_load(&opencl.is_open) && queue->device && !opencl_clock_is_known(queue->device))
        opencl_clock_measure(queue->device, CLOCK_LIMIT_NS);
}

static int wants_force(cl_command_queue_properties properties)
{
    return atomic_load_explicit(&opencl.is_forcing, memory_order_relaxed) &&
           !(properties & (CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE));
}

/* Adds profiling to the properties. If the driver refuses this, makes the queue with the properties
 * that the program passed. */
static cl_command_queue CL_API_CALL clCreateCommandQueue_traced(
    cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *status)
{
    int is_forced = wants_force(properties);
    cl_command_queue handle = NULL;

    if (opencl_on())
        opencl_call_begin(OPENCL_CALL, "clCreateCommandQueue");
    if (is_forced)
        handle = opencl_below.clCreateCommandQueue(context, device,
                                                   properties | CL_QUEUE_PROFILING_ENABLE, status);
    if (!handle) {
        is_forced = 0;
        handle = opencl_below.clCreateCommandQueue(context, device, properties, status);
    }
    if (opencl_on())
        opencl_call_end(OPENCL_CALL, STROBE_ABSENT_U64, NULL, NULL);
    if (handle)
        is_made(add_queue(handle, device, properties | (is_forced ? CL_QUEUE_PROFILING_ENABLE : 0)),
                is_forced);
    return handle;
}

/* Returns the length of the list, including the 0 at its end; 0: there is no list, or the list is
 * too long. */
static size_t count_properties(const cl_queue_properties *properties)
{
    size_t n = 0;

    while (properties && properties[n] && n < PROPERTIES_MAX)
        n += 2;
    return properties && n < PROPERTIES_MAX ? n + 1 : 0;
}

/* Copies the list to `copy` and adds profiling. Returns the queue properties that the program
 * passed. */
static cl_command_queue_properties copy_with_profiling(const cl_queue_properties *properties,
                                                       size_t n, cl_queue_properties *copy)
{
    cl_command_queue_properties asked = 0;
    size_t at = n ? n - 1 : 0, i;

    for (i = 0; i < at; i++)
        copy[i] = properties[i];
    for (i = 0; i < at && copy[i] != CL_QUEUE_PROPERTIES; i += 2)
        ;
    if (i < at) {
        asked = copy[i + 1];
    } else {
        copy[at++] = CL_QUEUE_PROPERTIES;
        copy[at++] = 0;
    }
    copy[i + 1] |= CL_QUEUE_PROFILING_ENABLE;
    copy[at] = 0;
    return asked;
}

cl_command_queue opencl_queue_make(OpenclMakeQueue *make, cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *status)
{
    size_t n = count_properties(properties);
    cl_queue_properties copy[PROPERTIES_MAX + 3];
    cl_command_queue_properties asked = copy_with_profiling(properties, n, copy);
    int is_forced = (n || !properties) && wants_force(asked);
    cl_command_queue handle = NULL;
    OpenclQueue *queue;

    if (is_forced)
        handle = make(context, device, copy, status);
    if (!handle) {
        is_forced = 0;
        handle = make(context, device, properties, status);
    }
    if (!handle || (asked & CL_QUEUE_ON_DEVICE))
        return handle;
    queue = add_queue(handle, device, asked | (is_forced ? CL_QUEUE_PROFILING_ENABLE : 0));
    if (queue && is_forced)
        keep_asked(queue, properties, n);
    is_made(queue, is_forced);
    return handle;
}

static cl_command_queue CL_API_CALL clCreateCommandQueueWithProperties_traced(
    cl_context context, cl_device_id device, const cl_queue_properties *properties, cl_int *status)
{

    if (opencl_on())
        opencl_call_begin(OPENCL_CALL, "clCreateCommandQueueWithProperties");
    cl_command_queue handle = opencl_queue_make(opencl_below.clCreateCommandQueueWithProperties,
                                                context, device, properties, status);
    if (opencl_on())
        opencl_call_end(OPENCL_CALL, STROBE_ABSENT_U64, NULL, NULL);
    return handle;
}

/* ---- look-up ---- */

OpenclQueue *opencl_queue(cl_command_queue handle)
{
    OpenclQueue *queue = handle_table_find(&table, handle);
    cl_command_queue_properties properties = 0;
    cl_device_id device = NULL;

    if (queue || !handle)
        return queue;
    if (opencl_below.clGetCommandQueueInfo(handle, CL_QUEUE_DEVICE, sizeof device, &device, NULL) !=
            CL_SUCCESS ||
        opencl_below.clGetCommandQueueInfo(handle, CL_QUEUE_PROPERTIES, sizeof properties,
                                           &properties, NULL) != CL_SUCCESS)
        return NULL;
    return add_queue(handle, device, properties);
}

StrobeTrackId opencl_queue_track(OpenclQueue *queue)
{
    uint64_t known = atomic_load_explicit(&queue->track, memory_order_relaxed);
    char name[32];

    if (known >> 32 == opencl.session)
        return (StrobeTrackId)known;
    snprintf(name, sizeof name, "Queue %u", queue->number);
    const StrobeTrack track = {
        .struct_size = sizeof track,
        .type = STROBE_TRACK_STREAM,
        .clock = STROBE_CLOCK_OF_TRACK,
        .device = queue->device->number,
        .id = queue->number,
        .name = name,
        .group = queue->device->group,
        .clock_track = opencl_clock_track(queue->device),
    };
    StrobeTrackId id = opencl.host->track(opencl.self, &track);
    atomic_store_explicit(&queue->track, opencl.session << 32 | id, memory_order_relaxed);
    return id;
}

const OpenclEntry opencl_queue_entries[] = {
    OPENCL_ENTRY(clCreateCommandQueue),
    OPENCL_ENTRY(clCreateCommandQueueWithProperties),
    {NULL, 0, NULL},
};
