/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulated framework: operators, and a queue through which one thread launches the work of
 * others. A program plays lines into it, with times in ns of CLOCK_REALTIME from `base`:
 *
 *   op THREAD NAME BEGIN DURATION
 *   queue THREAD ID IS_DEQUEUE BEGIN DURATION
 */
#include <strobe/strobe-plugin.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int OperatorsPlay(const char *line, uint64_t base);
__attribute__((visibility("default"))) OperatorsPlay operators_double_play;

static struct {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId op, queue;
    int is_on;
} framework;

static StrobeTrackId track_of(unsigned thread)
{
    char name[32];
    const StrobeTrack track = {.struct_size = sizeof track,
                               .type = STROBE_TRACK_THREAD,
                               .clock = STROBE_CLOCK_REALTIME,
                               .device = -1,
                               .id = thread,
                               .name = name,
                               .group = "Python"};

    snprintf(name, sizeof name, "Thread %u", thread);
    return framework.host->track(framework.self, &track);
}

static void *reserve_record(StrobeKindId kind, unsigned thread, const char *name, uint64_t begin,
                            uint64_t end)
{
    const StrobeHost *host = framework.host;
    StrobeTrackId track = track_of(thread);
    StrobeWriter *writer = host->writer(framework.self);

    if (!writer)
        return NULL;
    StrobeStringId id = host->intern(writer, name, strlen(name));
    return host->reserve(writer, kind, track, id, begin, end);
}

int operators_double_play(const char *line, uint64_t base)
{
    unsigned thread, is_dequeue;
    unsigned long long id, begin, duration;
    char name[128];

    if (!framework.is_on)
        return 0;
    if (sscanf(line, "op %u %127s %llu %llu", &thread, name, &begin, &duration) == 4) {
        struct strobe_cpu_op *op =
            reserve_record(framework.op, thread, name, base + begin, base + begin + duration);
        if (!op)
            return -1;
        op->sequence = -1;
    } else if (sscanf(line, "queue %u %llu %u %llu %llu", &thread, &id, &is_dequeue, &begin,
                      &duration) == 5) {
        struct strobe_task_queue *queue = reserve_record(
            framework.queue, thread, is_dequeue ? "simulated dequeue" : "simulated enqueue",
            base + begin, base + begin + duration);
        if (!queue)
            return -1;
        queue->correlation = framework.host->link_of(framework.self, id);
        queue->is_dequeue = is_dequeue != 0;
    } else {
        return 1;
    }
    framework.host->commit(framework.host->writer(framework.self));
    return 0;
}

static StrobeStatus framework_open(const StrobeHost *host, StrobeInstance *self, void **state)
{
    framework.host = host;
    framework.self = self;
    StrobeStatus status = host->kind(self, &strobe_kind_cpu_op, &framework.op);
    if (status == STROBE_OK)
        status = host->kind(self, &strobe_kind_task_queue, &framework.queue);
    *state = &framework;
    return status;
}

static StrobeStatus framework_start(void *state)
{
    framework.is_on = 1;
    return STROBE_OK;
}

static StrobeStatus framework_stop(void *state)
{
    framework.is_on = 0;
    return STROBE_OK;
}

static void framework_close(void *state)
{
    framework.is_on = 0;
}

static const StrobeCollectorOps ops = {
    .struct_size = sizeof ops,
    .open = framework_open,
    .start = framework_start,
    .stop = framework_stop,
    .close = framework_close,
};
static const StrobeKind *const kinds[] = {&strobe_kind_cpu_op, &strobe_kind_task_queue};
static const StrobeComponent component = {
    .struct_size = sizeof component,
    .type = STROBE_COMPONENT_COLLECTOR,
    .name = "operators_double",
    .summary = "Simulated operators and task queue.",
    .flags = STROBE_COMPONENT_SIMULATED,
    .kinds = kinds,
    .n_kinds = 2,
    .ops = &ops,
};
STROBE_PLUGIN(component, .name = "operators_double", .version = "1",
              .summary = "Simulated operators and task queue.", .license = "Apache-2.0",
              .vendor = "Strobe");
