/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl-device-clock.h"

#include <sched.h>
#include <time.h>

#include "state.h"

#define TRIES 8
#define REFRESH_LIMIT_NS 1000000u
#define WIDE_NS 1000000u /* a pair with at least this width is too imprecise */
/* number of commands that yield pairs, each time that pairs are needed */
#define COMMANDS 16

int64_t opencl_clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- one reading ---- */

static int pair_of(OpenclPair *pair, int64_t before, int64_t after, cl_ulong device_time)
{
    if (device_time == 0 || device_time > INT64_MAX || after < before)
        return 0;
    pair->device_time = (int64_t)device_time;
    pair->host_time = before + (after - before) / 2;
    pair->width_ns = (uint64_t)(after - before) + 1;
    return 1;
}

/* Reads a pair with clGetDeviceAndHostTimer. Reads CLOCK_MONOTONIC before and after the call,
 * because the driver does not say in which clock the host's time is that it returns. */
static int read_timer(OpenclDevice *device, OpenclPair *pair)
{
    cl_ulong device_time = 0, host_time = 0;

    if (!opencl_below.clGetDeviceAndHostTimer)
        device->clock.has_no_timer = 1;
    if (device->clock.has_no_timer)
        return 0;
    int64_t before = opencl_clock_now();
    cl_int status = opencl_below.clGetDeviceAndHostTimer(device->id, &device_time, &host_time);
    int64_t after = opencl_clock_now();
    if (status != CL_SUCCESS || !pair_of(pair, before, after, device_time)) {
        device->clock.has_no_timer = 1;
        return 0;
    }
    return 1;
}

static void give_back(OpenclClock *clock)
{
    if (clock->queue)
        opencl_below.clReleaseCommandQueue(clock->queue);
    if (clock->context)
        opencl_below.clReleaseContext(clock->context);
    clock->queue = NULL;
    clock->context = NULL;
}

/* Returns whether the layer below has all functions that a marker needs. */
static int has_marker_functions(void)
{
    return opencl_below.clCreateContext && opencl_below.clReleaseContext &&
           opencl_below.clCreateCommandQueue && opencl_below.clReleaseCommandQueue &&
           opencl_below.clEnqueueMarker && opencl_below.clFlush;
}

/* Opens a queue in a separate context, because a reference to the program's context would change
 * the reference count that the program can read. */
static int open_queue(OpenclDevice *device)
{
    OpenclClock *clock = &device->clock;
    cl_int status;

    if (clock->queue || clock->has_no_markers)
        return clock->queue != NULL;
    clock->has_no_markers = !has_marker_functions();
    if (clock->has_no_markers)
        return 0;
    clock->context = opencl_below.clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    if (clock->context)
        clock->queue = opencl_below.clCreateCommandQueue(clock->context, device->id,
                                                         CL_QUEUE_PROFILING_ENABLE, &status);
    if (clock->queue)
        return 1;
    give_back(clock);
    clock->has_no_markers = 1;
    return 0;
}

static int is_complete(cl_event event, cl_int *status)
{
    return opencl_below.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof *status,
                                       status, NULL) != CL_SUCCESS ||
           *status <= CL_COMPLETE;
}

/* Waits for the event until the time `until`. Polls, because the driver's own wait has no time
 * limit. */
static int wait_for(cl_event event, int64_t until, int64_t *after)
{
    cl_int status = CL_QUEUED;

    for (;;) {
        int is_done = is_complete(event, &status);
        *after = opencl_clock_now();
        if (is_done)
            return status == CL_COMPLETE;
        if (*after >= until)
            return 0;
        sched_yield();
    }
}

static int read_marker(OpenclDevice *device, OpenclPair *pair, int64_t until)
{
    cl_ulong device_time = 0;
    cl_event event = NULL;
    int64_t after;
    int ok = 0;

    if (!open_queue(device))
        return 0;
    int64_t before = opencl_clock_now();
    if (opencl_below.clEnqueueMarker(device->clock.queue, &event) != CL_SUCCESS || !event) {
        device->clock.has_no_markers = 1;
        return 0;
    }
    opencl_below.clFlush(device->clock.queue);
    if (wait_for(event, until, &after) &&
        opencl_below.clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof device_time,
                                             &device_time, NULL) == CL_SUCCESS)
        ok = pair_of(pair, before, after, device_time);
    opencl_below.clReleaseEvent(event);
    return ok;
}

/* ---- the narrowest of several pairs ---- */

/* Reads a pair from the timer or from a marker. A marker needs its own context and queue, and
 * disturbs the device, so a marker is used only if the program's own commands yield no pair, or
 * only wide ones. */
static int read_pair(OpenclDevice *device, OpenclPair *pair, int64_t until)
{
    OpenclClock *clock = &device->clock;

    if (read_timer(device, pair))
        return 1;
    return (atomic_load(&clock->needs_markers) || clock->last.width_ns > WIDE_NS) &&
           read_marker(device, pair, until);
}

static int measure_pair(OpenclDevice *device, int64_t until, OpenclPair *best)
{
    OpenclPair pair;
    int n = 0;

    for (int i = 0; i < TRIES && (i == 0 || opencl_clock_now() < until); i++) {
        if (!read_pair(device, &pair, until))
            break;
        if (n++ == 0 || pair.width_ns < best->width_ns)
            *best = pair;
    }
    return n > 0;
}

static void record_pair(OpenclDevice *device, const OpenclPair *pair)
{
    const StrobeHost *host = opencl.host;
    StrobeWriter *writer = host->writer(opencl.self);
    struct strobe_clock_sync *fields;

    if (!writer || !pair->width_ns)
        return;
    fields = host->reserve(writer, opencl.pair, opencl_clock_track(device), 0,
                           (StrobeTicks)pair->device_time, 0);
    if (!fields)
        return;
    fields->device_time = pair->device_time;
    fields->host_time = pair->host_time;
    fields->width_ns = pair->width_ns;
    host->commit(writer);
}

static void ask_commands(OpenclClock *clock)
{
    atomic_store(&clock->best_ns, UINT64_MAX);
    atomic_store(&clock->n_wanted, clock->has_no_timer ? COMMANDS : 0);
}

int opencl_clock_measure(OpenclDevice *device, uint64_t limit_ns)
{
    OpenclPair pair;
    int ok;

    if (atomic_load(&opencl.is_gone) || !atomic_load(&opencl.is_open) ||
        pthread_mutex_trylock(&device->clock.lock) != 0)
        return 0;
    ok = measure_pair(device, opencl_clock_now() + (int64_t)limit_ns, &pair);
    if (ok) {
        device->clock.last = pair;
        record_pair(device, &pair);
    }
    ask_commands(&device->clock);
    pthread_mutex_unlock(&device->clock.lock);
    return ok;
}

void opencl_clock_refresh(OpenclDevice *device)
{
    int64_t now = opencl_clock_now();
    int64_t due = atomic_load_explicit(&device->clock.due_ns, memory_order_relaxed);

    if (now >= due &&
        atomic_compare_exchange_strong(&device->clock.due_ns, &due, now + opencl.clock_interval_ns))
        opencl_clock_measure(device, REFRESH_LIMIT_NS);
}

int64_t opencl_clock_before(OpenclClock *clock)
{
    if (__builtin_expect(atomic_load_explicit(&clock->n_wanted, memory_order_relaxed) <= 0, 1))
        return 0;
    atomic_fetch_sub_explicit(&clock->n_wanted, 1, memory_order_relaxed);
    return opencl_clock_now();
}

/* Records a pair if it is narrower than all earlier pairs, because a wider pair gives no
 * information. */
static void take_reported(OpenclDevice *device, const OpenclPair *pair)
{
    OpenclClock *clock = &device->clock;

    if (pair->width_ns >= atomic_load_explicit(&clock->best_ns, memory_order_relaxed))
        return;
    atomic_store_explicit(&clock->best_ns, pair->width_ns, memory_order_relaxed);
    record_pair(device, pair);
    if (pthread_mutex_trylock(&clock->lock) != 0)
        return;
    clock->last = *pair;
    pthread_mutex_unlock(&clock->lock);
}

/* Makes a pair from bounds of the distance from the device's clock to the host's. The enqueueing
 * call began before QUEUED, so the distance is at least before - queued. The call returned after
 * QUEUED, and the end was seen after END, so the distance is at most after - queued and at most
 * seen - end. */
static int pair_of_command(const OpenclReported *reported, OpenclPair *pair)
{
    int64_t queued = (int64_t)reported->queued, end = (int64_t)reported->end;
    int64_t low = reported->before - queued, high = reported->after - queued;

    if (reported->queued == 0 || reported->queued > INT64_MAX || reported->end > INT64_MAX)
        return 0;
    if (reported->seen && reported->seen - end < high)
        high = reported->seen - end;
    return pair_of(pair, queued + low, queued + high, reported->queued);
}

void opencl_clock_reported(OpenclDevice *device, const OpenclReported *reported)
{
    OpenclPair pair;

    if (!reported->before)
        return;
    if (pair_of_command(reported, &pair))
        take_reported(device, &pair);
    else
        atomic_store_explicit(&device->clock.needs_markers, 1, memory_order_relaxed);
}

void opencl_clock_repeat(OpenclDevice *device)
{
    pthread_mutex_lock(&device->clock.lock);
    record_pair(device, &device->clock.last);
    ask_commands(&device->clock);
    atomic_store(&device->clock.due_ns, opencl_clock_now() + opencl.clock_interval_ns);
    pthread_mutex_unlock(&device->clock.lock);
}

int opencl_clock_is_known(OpenclDevice *device)
{
    pthread_mutex_lock(&device->clock.lock);
    int is_known = device->clock.last.width_ns > 0;
    pthread_mutex_unlock(&device->clock.lock);
    return is_known;
}

StrobeTrackId opencl_clock_track(OpenclDevice *device)
{
    uint64_t known = atomic_load_explicit(&device->clock.track, memory_order_relaxed);
    const StrobeTrack track = {
        .struct_size = sizeof track,
        .type = STROBE_TRACK_COUNTER,
        .clock = STROBE_CLOCK_OF_TRACK,
        .device = device->number,
        .id = (uint64_t)device->number,
        .name = "Device clock",
        .group = device->group,
    };

    if (known >> 32 == opencl.session)
        return (StrobeTrackId)known;
    StrobeTrackId id = opencl.host->track(opencl.self, &track);
    atomic_store_explicit(&device->clock.track, opencl.session << 32 | id, memory_order_relaxed);
    return id;
}

/* Does not release the queue and the context while a thread measures, because this thread may hang
 * in the driver. */
void opencl_clock_release(OpenclClock *clock)
{
    if (pthread_mutex_trylock(&clock->lock) != 0)
        return;
    give_back(clock);
    pthread_mutex_unlock(&clock->lock);
}
