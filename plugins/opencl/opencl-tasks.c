/* SPDX-License-Identifier: Apache-2.0 */
#include "opencl-tasks.h"

#include <stdio.h>
#include <string.h>

#include "opencl-device-clock.h"
#include "state.h"

/* The words for each type of command. NULL: the direction of a copy is not known. */
static const struct {
    const char *type, *direction;
    int is_kernel;
} types[OPENCL_COMMAND_TYPES] = {
    [OPENCL_KERNEL] = {"KERNEL", NULL, 1},
    [OPENCL_NATIVE_KERNEL] = {"NATIVE_KERNEL", NULL, 1},
    [OPENCL_READ] = {"MEMCPY_D2H", "device to host", 0},
    [OPENCL_WRITE] = {"MEMCPY_H2D", "host to device", 0},
    [OPENCL_COPY] = {"MEMCPY_D2D", "device to device", 0},
    [OPENCL_FILL] = {"MEMSET", NULL, 0},
    [OPENCL_MAP] = {"MAP", NULL, 0},
    [OPENCL_UNMAP] = {"UNMAP", NULL, 0},
    [OPENCL_MIGRATE] = {"MIGRATE", NULL, 0},
    [OPENCL_SVM_COPY] = {"SVM_MEMCPY", NULL, 0},
    [OPENCL_SVM_FILL] = {"SVM_MEMSET", NULL, 0},
    [OPENCL_SVM_MAP] = {"SVM_MAP", NULL, 0},
    [OPENCL_SVM_UNMAP] = {"SVM_UNMAP", NULL, 0},
    [OPENCL_SVM_MIGRATE] = {"SVM_MIGRATE", NULL, 0},
    [OPENCL_SVM_FREE] = {"SVM_FREE", NULL, 0},
    [OPENCL_COMMAND_BUFFER] = {"COMMAND_BUFFER", NULL, 0},
};

/* ---- the kind ---- */

#define OWN_FIELDS 4u

static const StrobeField own_fields[OWN_FIELDS] = {
    {"opencl.start", STROBE_FIELD_U64, 0, "ns", "Start in the device's own clock."},
    {"opencl.queued_ns", STROBE_FIELD_U64, 0, "ns",
     "Time from the entry into the queue to the start."},
    {"opencl.submit_ns", STROBE_FIELD_U64, 0, "ns",
     "Time from the hand-over to the device to the start."},
    {"opencl.global_size", STROBE_FIELD_STRING, 0, "", "Work-items by dimension."},
};

static StrobeField fields[STROBE_KIND_FIELDS_MAX];

StrobeKind opencl_task_kind = {
    .struct_size = sizeof(StrobeKind),
    .shape = STROBE_SHAPE_SPAN,
    .name = "device_task",
    .summary = "One task on a device.",
    .fields = fields,
};

/* Copies the standard fields from the SDK, so that this kind has the same standard fields as the
 * standard kind. */
__attribute__((constructor)) static void make_kind(void)
{
    uint32_t n = strobe_kind_device_task.n_fields;

    memcpy(fields, strobe_kind_device_task.fields, n * sizeof *fields);
    memcpy(fields + n, own_fields, sizeof own_fields);
    opencl_task_kind.n_fields = n + OWN_FIELDS;
}

/* ---- the record ---- */

static StrobeStringId format_sizes(StrobeWriter *writer, const size_t *size, uint32_t n)
{
    char text[80];

    if (n == 0)
        return 0;
    snprintf(text, sizeof text, "%zu,%zu,%zu", size[0], n > 1 ? size[1] : 1, n > 2 ? size[2] : 1);
    return opencl_string_id(writer, text);
}

/* Computes the number of work-groups in each dimension. Rounds up, because the last group may be
 * smaller. Returns the total number; the absent value: it does not fit in 32 bits. */
static uint32_t count_groups(const OpenclWork *work, size_t groups[3])
{
    uint64_t n = 1;

    for (uint32_t i = 0; i < work->n_dimensions; i++) {
        groups[i] = work->global[i] / work->local[i] + (work->global[i] % work->local[i] != 0);
        if (groups[i] && n > UINT32_MAX / groups[i])
            n = UINT32_MAX;
        else
            n *= groups[i];
    }
    return n < UINT32_MAX ? (uint32_t)n : STROBE_ABSENT_U32;
}

static int has_groups(const OpenclWork *work)
{
    int ok = work->n_dimensions > 0 && work->has_local;

    for (uint32_t i = 0; i < work->n_dimensions; i++)
        ok = ok && work->local[i];
    return ok;
}

static void describe_kernel(StrobeWriter *writer, const OpenclWork *work, OpenclTask *out)
{
    size_t groups[3];

    out->global_size = format_sizes(writer, work->global, work->n_dimensions);
    if (!has_groups(work))
        return;
    out->task.block_num = count_groups(work, groups);
    out->task.grid_dim = format_sizes(writer, groups, work->n_dimensions);
    out->task.block_dim = format_sizes(writer, work->local, work->n_dimensions);
}

static void describe_copy(StrobeWriter *writer, const OpenclWork *work, uint64_t ns,
                          OpenclTask *out)
{
    const char *direction = types[work->command_type].direction;

    out->task.copy_bytes = work->bytes;
    if (direction)
        out->task.copy_direction = opencl_string_id(writer, direction);
    if (work->bytes != STROBE_ABSENT_U64 && ns)
        out->task.copy_bandwidth = (double)work->bytes / (double)ns;
}

/* Returns a task in which the fields without a value in OpenCL are absent. */
static OpenclTask empty_task(void)
{
    OpenclTask out;

    memset(&out, 0, sizeof out);
    out.task.batch = out.task.context = out.task.model = STROBE_ABSENT_U32;
    out.task.block_num = out.task.mix_block_num = STROBE_ABSENT_U32;
    out.task.copy_bytes = STROBE_ABSENT_U64;
    out.task.copy_bandwidth = out.task.exact_us = STROBE_ABSENT_F64;
    return out;
}

/* Returns the time from `time` to the start. Returns the absent value if `time` is 0 or in another
 * clock, as with some drivers. */
static uint64_t before_start(cl_ulong time, const OpenclTimes *times)
{
    return time && time <= times->start ? times->start - time : STROBE_ABSENT_U64;
}

static OpenclTask describe_task(StrobeWriter *writer, const OpenclQueue *queue,
                                const OpenclWork *work, const OpenclTimes *times)
{
    OpenclTask out = empty_task();

    out.task.task = out.task.connection = work->connection;
    out.task.stream = queue->number;
    out.task.task_type = opencl_string_id(writer, types[work->command_type].type);
    out.task.host_type = out.task.task_type;
    out.task.is_kernel = types[work->command_type].is_kernel != 0;
    if (out.task.is_kernel) {
        out.task.core = opencl_text_id(writer, queue->device->core);
        out.task.op_type = work->kernel ? opencl_text_id(writer, work->kernel) : out.task.task_type;
        describe_kernel(writer, work, &out);
    } else {
        describe_copy(writer, work, times->end - times->start, &out);
    }
    out.start = times->start;
    out.queued_ns = before_start(times->queued, times);
    out.submit_ns = before_start(times->submit, times);
    return out;
}

/* Returns whether the times have the order that times in the same clock have. */
static int is_in_order(const OpenclTimes *times)
{
    return times->queued <= times->submit && times->submit <= times->start;
}

void opencl_task_record(OpenclQueue *queue, uint32_t number, const OpenclWork *work,
                        const OpenclTimes *times)
{
    const StrobeHost *host = opencl.host;
    StrobeWriter *writer = host->writer(opencl.self);

    if (!writer)
        return;
    opencl_clock_reported(queue->device,
                          &(OpenclReported){.before = work->before_ns,
                                            .after = work->after_ns,
                                            .seen = times->seen_ns,
                                            .queued = is_in_order(times) ? times->queued : 0,
                                            .end = times->end});
    OpenclTask task = describe_task(writer, queue, work, times);
    task.task.task_id = number;
    StrobeStringId name = work->kernel ? opencl_text_id(writer, work->kernel) : task.task.task_type;
    OpenclTask *out = host->reserve(writer, opencl.task, opencl_queue_track(queue), name,
                                    times->start, times->end);
    if (!out)
        return;
    memcpy(out, &task, sizeof task);
    host->commit(writer);
}
