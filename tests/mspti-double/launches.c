/* SPDX-License-Identifier: Apache-2.0 */
#include "launches.h"

#include <stdio.h>
#include <string.h>

#include "double-buffers.h"
#include "record-fields.h"

#define TYPES 5u
#define STACK_MAX 64u
#define THREADS_MAX 256u
#define QUEUE_MAX 4096u
#define CALL_NS 2000 /* duration of a call that a consumer of the queue makes */

enum { KIND_API = 3, KIND_NODE = 11, KIND_RUNTIME = 12 };

typedef struct Task {
    uint32_t device, stream;
    char type[64], name[128];
    uint64_t duration;
} Task;

static uint64_t last_launch;
static struct {
    uint32_t thread;
    uint64_t launch;
} latest[THREADS_MAX];
static struct {
    uint64_t ids[STACK_MAX];
    uint32_t depth;
} stacks[TYPES];
static Task queue[QUEUE_MAX];
static uint32_t queue_first, queue_end;

/* ---- external ids ---- */

int launches_push(uint32_t id_type, uint64_t id)
{
    if (id_type >= TYPES || stacks[id_type].depth == STACK_MAX)
        return 999;
    stacks[id_type].ids[stacks[id_type].depth++] = id;
    return 0;
}

int launches_pop(uint32_t id_type, uint64_t *id)
{
    if (!id || id_type >= TYPES)
        return 1;
    if (!stacks[id_type].depth)
        return 5;
    *id = stacks[id_type].ids[--stacks[id_type].depth];
    return 0;
}

/* ---- launches ---- */

static uint64_t *latest_of(uint32_t thread)
{
    uint32_t i = 0;

    while (i < THREADS_MAX - 1 && latest[i].thread && latest[i].thread != thread)
        i++;
    latest[i].thread = thread;
    return &latest[i].launch;
}

/* Launches a task. The record of an external id comes before all other records with the id of the
 * launch. */
static void launch_task(uint32_t thread, const Task *task, uint64_t begin)
{
    _Alignas(8) uint8_t record[RECORD_BYTES_MAX] = {0};

    *latest_of(thread) = ++last_launch;
    for (uint32_t id_type = 0; id_type < TYPES; id_type++) {
        if (!stacks[id_type].depth)
            continue;
        fill_external(record, id_type, stacks[id_type].ids[stacks[id_type].depth - 1], last_launch);
        double_tell(record, 8);
    }
    memset(record, 0, sizeof record);
    fill_kernel(record, task->device, task->stream, last_launch, task->type, task->name, begin,
                begin + task->duration);
    double_tell(record, 2);
}

static void tell_call(uint32_t kind, uint32_t thread, const char *name, uint64_t begin,
                      uint64_t end)
{
    _Alignas(8) uint8_t record[RECORD_BYTES_MAX] = {0};

    fill_call(record, kind, thread, *latest_of(thread), name, begin, end);
    double_tell(record, (int)kind);
}

/* Reports a call. Its id is the latest one of its thread when it ends, even if the call did not
 * launch that work. A call of the node level has records of two kinds. */
static void report_call(uint32_t kind, uint32_t thread, const char *name, uint64_t begin,
                        uint64_t end)
{
    tell_call(kind, thread, name, begin, end);
    if (kind == KIND_NODE)
        tell_call(KIND_API, thread, name, begin, end);
}

/* Reports a communication operation and its call, which has two records. Only the second record has
 * the id of the operation. */
static void report_collective(uint32_t thread, const Task *task, const char *group, uint64_t at,
                              uint64_t begin)
{
    _Alignas(8) uint8_t record[RECORD_BYTES_MAX] = {0};

    tell_call(KIND_NODE, thread, task->name, at, at + CALL_NS);
    *latest_of(thread) = ++last_launch;
    tell_call(KIND_API, thread, task->name, at, at + CALL_NS);
    fill_communication(record, task->device, task->stream, last_launch, task->name, group, begin,
                       begin + task->duration);
    double_tell(record, 9);
}

/* Launches the task of the oldest entry of the queue, which any thread may have added. Returns -1
 * if the queue is empty. */
static int consume_task(uint32_t thread, uint64_t at, uint64_t task_at)
{
    if (queue_first == queue_end)
        return -1;
    const Task *task = &queue[queue_first++ % QUEUE_MAX];
    launch_task(thread, task, task_at);
    report_call(KIND_RUNTIME, thread, "rtKernelLaunch", at + CALL_NS / 4, at + CALL_NS / 2);
    report_call(KIND_NODE, thread, "launch", at, at + CALL_NS);
    return 0;
}

/* ---- lines ---- */

typedef unsigned long long Number;

static int play_launch(const char *line, uint64_t base)
{
    unsigned thread;
    Number begin, duration;
    Task task;

    if (sscanf(line, "%u %u %u %63s %127s %llu %llu", &thread, &task.device, &task.stream,
               task.type, task.name, &begin, &duration) != 7)
        return -1;
    task.duration = duration;
    launch_task(thread, &task, base + begin);
    return 0;
}

static int play_call(const char *line, uint64_t base)
{
    unsigned kind, thread;
    char name[128];
    Number begin, duration;

    if (sscanf(line, "%u %u %127s %llu %llu", &kind, &thread, name, &begin, &duration) != 5 ||
        kind < 10 || kind > KIND_RUNTIME)
        return -1;
    report_call(kind, thread, name, base + begin, base + begin + duration);
    return 0;
}

static int play_enqueue(const char *line)
{
    Task *task = &queue[queue_end % QUEUE_MAX];
    Number duration;

    if (queue_end - queue_first == QUEUE_MAX ||
        sscanf(line, "%u %u %63s %127s %llu", &task->device, &task->stream, task->type, task->name,
               &duration) != 5)
        return -1;
    task->duration = duration;
    queue_end++;
    return 0;
}

static int play_collective(const char *line, uint64_t base)
{
    unsigned thread;
    Number at, begin, duration;
    char group[64];
    Task task;

    if (sscanf(line, "%u %u %u %127s %63s %llu %llu %llu", &thread, &task.device, &task.stream,
               task.name, group, &at, &begin, &duration) != 8)
        return -1;
    task.duration = duration;
    report_collective(thread, &task, group, base + at, base + begin);
    return 0;
}

int launches_play(const char *line, uint64_t base)
{
    unsigned number;
    Number a, b;
    uint64_t id;

    if (!strncmp(line, "launch ", 7))
        return play_launch(line + 7, base);
    if (!strncmp(line, "call ", 5))
        return play_call(line + 5, base);
    if (!strncmp(line, "collective ", 11))
        return play_collective(line + 11, base);
    if (!strncmp(line, "enqueue ", 8))
        return play_enqueue(line + 8);
    if (sscanf(line, "dequeue %u %llu %llu", &number, &a, &b) == 3)
        return consume_task(number, base + a, base + b);
    if (sscanf(line, "push %u %llu", &number, &a) == 2)
        return launches_push(number, a) ? -1 : 0;
    if (sscanf(line, "pop %u", &number) == 1)
        return launches_pop(number, &id) ? -1 : 0;
    return 1;
}
