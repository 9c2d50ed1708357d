/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin with two simulated devices, each with its own collector. Each driver numbers its calls
 * from 1, and each device has its own clock. An option makes the pairs of the second clock
 * wrong. */
#include <strobe/strobe-plugin.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 20
#define TASK_NS 1000
#define WIDTH_NS 2000

typedef struct Device {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId call, task, pair;
    StrobeTrackId clock, queue;
    int64_t wrong_ns; /* error of the pairs of the device's clock */
    int has_pairs, samples;
} Device;

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Returns the time of the device's clock, which is 50 ppm too fast and has another zero. */
static int64_t device_ns(int64_t host_ns)
{
    return host_ns + host_ns / 20000 - 777000000000;
}

static void tell_pair(const Device *device)
{
    StrobeWriter *writer = device->host->writer(device->self);
    int64_t now = monotonic_ns(), there = device_ns(now);
    struct strobe_clock_sync *fields;

    if (!writer || !device->has_pairs)
        return;
    fields = device->host->reserve(writer, device->pair, device->clock, 0, (uint64_t)there, 0);
    if (!fields)
        return;
    *fields = (struct strobe_clock_sync){there, now - device->wrong_ns, WIDTH_NS};
    device->host->commit(writer);
}

/* Emits a call, and the task that it causes 10 us later. */
static void record_work(const Device *device, uint64_t number)
{
    const StrobeHost *host = device->host;
    StrobeWriter *writer = host->writer(device->self);
    uint64_t begin = host->now(), there = (uint64_t)device_ns(monotonic_ns() + 10000);
    struct strobe_api_call *call;
    struct strobe_device_task *task;

    if (!writer)
        return;
    call = host->reserve(writer, device->call, 0, host->intern(writer, "launch", 6), begin,
                         host->now());
    if (!call)
        return;
    call->connection = host->link_of(device->self, number);
    host->commit(writer);
    task = host->reserve(writer, device->task, device->queue, host->intern(writer, "work", 4),
                         there, there + TASK_NS);
    if (!task)
        return;
    task->connection = host->link_of(device->self, number);
    task->is_kernel = 1;
    host->commit(writer);
}

static StrobeStatus device_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    Device *device = calloc(1, sizeof *device);
    StrobeTrack track = {.struct_size = sizeof track,
                         .type = STROBE_TRACK_STREAM,
                         .clock = STROBE_CLOCK_OF_TRACK,
                         .name = "Clock",
                         .group = host->option_text(self, "group")};

    if (!device)
        return host->fail(self, STROBE_ERROR_MEMORY, __FILE__, __LINE__, "Out of memory");
    device->host = host;
    device->self = self;
    device->has_pairs = host->option_bool(self, "pairs");
    device->wrong_ns = host->option_int(self, "wrong");
    host->kind(self, &strobe_kind_api_call, &device->call);
    host->kind(self, &strobe_kind_device_task, &device->task);
    host->kind(self, &strobe_kind_clock_sync, &device->pair);
    device->clock = host->track(self, &track);
    track.name = "Queue";
    track.clock_track = device->clock;
    device->queue = host->track(self, &track);
    *state = device;
    return STROBE_OK;
}

static StrobeStatus device_start(void *state)
{
    tell_pair(state);
    return STROBE_OK;
}

/* Records the work of the device. Called once, in the middle of the window. */
static void device_sample(void *state)
{
    Device *device = state;

    if (device->samples++ != 1)
        return;
    for (uint64_t number = 1; number <= CALLS; number++)
        record_work(device, number);
}

static int64_t device_sample_interval(void *state)
{
    return 100000000;
}

static StrobeStatus device_stop(void *state)
{
    tell_pair(state);
    return STROBE_OK;
}

static const StrobeCollectorOps ops = {.struct_size = sizeof(StrobeCollectorOps),
                                       .open = device_open,
                                       .start = device_start,
                                       .stop = device_stop,
                                       .close = free,
                                       .sample = device_sample,
                                       .sample_interval = device_sample_interval};

#define OPTIONS(group_)                                                                            \
    {                                                                                              \
        {.struct_size = sizeof(StrobeOption),                                                      \
         .type = STROBE_OPTION_BOOL,                                                               \
         .name = "pairs",                                                                          \
         .default_value = "true",                                                                  \
         .summary = "Tell pairs of clocks."},                                                      \
        {.struct_size = sizeof(StrobeOption),                                                      \
         .type = STROBE_OPTION_DURATION,                                                           \
         .name = "wrong",                                                                          \
         .default_value = "0ns",                                                                   \
         .min = 0,                                                                                 \
         .max = 1e12,                                                                              \
         .summary = "By how much they are wrong."},                                                \
        {.struct_size = sizeof(StrobeOption),                                                      \
         .type = STROBE_OPTION_STRING,                                                             \
         .name = "group",                                                                          \
         .default_value = group_,                                                                  \
         .summary = "Layer of the device."},                                                       \
    }

static const StrobeOption one_options[] = OPTIONS("Device one");
static const StrobeOption two_options[] = OPTIONS("Device two");

#define COMPONENT(name_, options_)                                                                 \
    {.struct_size = sizeof(StrobeComponent),                                                       \
     .type = STROBE_COMPONENT_COLLECTOR,                                                           \
     .flags = STROBE_COMPONENT_ANY_PROCESS | STROBE_COMPONENT_INSIDE,                              \
     .name = name_,                                                                                \
     .summary = "A device for tests.",                                                             \
     .options = options_,                                                                          \
     .n_options = 3,                                                                               \
     .ops = &ops}

static const StrobeComponent one = COMPONENT("counted_one", one_options);
static const StrobeComponent two = COMPONENT("counted_two", two_options);
static const StrobeComponent *const components[] = {&one, &two};

STROBE_PLUGIN_EXPORT const StrobePlugin strobe_plugin_1 = {
    .struct_size = sizeof(StrobePlugin),
    .record_version = STROBE_RECORD_VERSION,
    .n_components = 2,
    .name = "counted_device",
    .version = "0.1.0",
    .summary = "Devices for tests.",
    .license = "Apache-2.0",
    .vendor = "Strobe",
    .url = "",
    .components = components,
};
