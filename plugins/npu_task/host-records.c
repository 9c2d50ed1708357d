/* SPDX-License-Identifier: Apache-2.0 */
/* Records calls of the host, including memory calls. */
#include <string.h>

#include "records.h"

struct npu_copy {
    uint64_t bytes, connection;
    StrobeStringId direction;
    uint32_t stream;
    int32_t device;
    uint8_t is_async;
};

struct npu_set {
    uint64_t bytes, connection;
    uint32_t value, stream;
    int32_t device;
    uint8_t is_async;
};

#define KIND(variable_, shape_, name_, fields_, summary_)                                          \
    const StrobeKind variable_ = {.struct_size = sizeof(StrobeKind),                               \
                                  .shape = shape_,                                                 \
                                  .name = name_,                                                   \
                                  .summary = summary_,                                             \
                                  .fields = fields_,                                               \
                                  .n_fields = sizeof fields_ / sizeof *fields_}

static const StrobeField copy_fields[] = {
    {"bytes", STROBE_FIELD_U64, 0, "B", "Size; of a copy in two dimensions width by height."},
    {"connection", STROBE_FIELD_LINK, 0, "", "Id of the launch, absent: none."},
    {"direction", STROBE_FIELD_STRING, 0, "", "Direction, such as host to device."},
    {"stream", STROBE_FIELD_U32, 0, "", "Stream, absent: the call waits."},
    {"device", STROBE_FIELD_I32, 0, "", "Device, -1: not reported."},
    {"is_async", STROBE_FIELD_BOOL, 0, "", "The call does not wait for the copy."},
};
KIND(npu_copy_kind, STROBE_SHAPE_SPAN, "npu_task.memcpy", copy_fields,
     "One call that copies memory: the time of the call, not of the copy on the device.");

static const StrobeField set_fields[] = {
    {"bytes", STROBE_FIELD_U64, 0, "B", "Size."},
    {"connection", STROBE_FIELD_LINK, 0, "", "Id of the launch, absent: none."},
    {"value", STROBE_FIELD_U32, 0, "", "Value of each byte."},
    {"stream", STROBE_FIELD_U32, 0, "", "Stream, absent: the call waits."},
    {"device", STROBE_FIELD_I32, 0, "", "Device, -1: not reported."},
    {"is_async", STROBE_FIELD_BOOL, 0, "", "The call does not wait for the device."},
};
KIND(npu_set_kind, STROBE_SHAPE_SPAN, "npu_task.memset", set_fields,
     "One call that sets memory: the time of the call, not of the work on the device.");

/* ---- calls ---- */

/* Returns whether this call made the launch whose id it has. MSPTI gives every call the id of its
 * thread's last launch. The first call that ends with an id made the launch, and so did a call that
 * encloses this one; later calls only repeat the id. */
static int is_of_launch(NpuPlace *thread, const MsptiApi *in)
{
    if (in->correlation == 0)
        return 0;
    if (in->correlation == thread->correlation &&
        (in->start > thread->begin || in->end < thread->end))
        return 0;
    thread->correlation = in->correlation;
    thread->begin = in->start;
    thread->end = in->end;
    return 1;
}

static int place_of_call(const NpuWindows *windows, uint64_t begin)
{
    if (npu_windows_place(windows, begin) != NPU_IN_WINDOW)
        return NPU_CALL_BEFORE;
    return begin <= windows->end ? NPU_CALL_OF_WINDOW : NPU_CALL_BEHIND;
}

static int is_node_level(int32_t kind)
{
    return kind == MSPTI_KIND_NODE_API || kind == MSPTI_KIND_API;
}

/* Stores a call that launches. Also stores whether a second thread launches, because MSPTI keeps
 * the ids that the program pushes on one stack for all threads. */
static void see_launch(NpuRecords *records, const MsptiApi *in)
{
    npu_launches_see_call(&records->launches, in->correlation, in->name, is_node_level(in->kind),
                          place_of_call(&records->windows, in->start));
    if (records->launch_thread == 0)
        records->launch_thread = in->thread;
    else if (records->launch_thread != in->thread)
        records->has_several_threads = 1;
}

static const char *level_of(int32_t kind)
{
    return kind == MSPTI_KIND_ACL_API ? "acl" : kind == MSPTI_KIND_RUNTIME_API ? "runtime" : "node";
}

void npu_take_call(NpuRecords *records, const MsptiApi *in)
{
    NpuEmitter *emitter = &records->emitter;
    const uint64_t end = in->end;
    NpuPlace *thread = npu_tracks_place(&records->tracks, NPU_PLACE_CALLS, 0, in->thread, NULL);
    int launches = is_of_launch(thread, in);

    if (launches)
        see_launch(records, in);
    if (!npu_records_wants(records, in->start, end, 0))
        return;
    records->last_call = in->start;
    records->counts.n_launches += is_node_level(in->kind);
    if (records->left_out >> (is_node_level(in->kind) ? MSPTI_KIND_NODE_API : in->kind) & 1u)
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    StrobeStringId level = npu_emitter_text_id(emitter, level_of(in->kind));
    struct strobe_api_call *out = npu_emitter_put(emitter, records->kinds.call, sizeof *out,
                                                  thread->track, name, in->start, &end);
    memset(out, 0, sizeof *out);
    out->level = level;
    out->connection = launches ? npu_records_link(records, in->correlation) : STROBE_ABSENT_U64;
    out->exact_us = STROBE_ABSENT_F64;
    npu_emitter_done(emitter);
}

/* ---- memory ---- */

static int32_t device_of(uint32_t device)
{
    return device <= INT32_MAX ? (int32_t)device : -1;
}

static StrobeTrackId memory_track(NpuRecords *records, uint32_t device)
{
    return npu_tracks_place(&records->tracks, NPU_PLACE_COPIES, device, 0, NULL)->track;
}

/* Returns the change of the allocated bytes. It is absent for the release of memory whose
 * allocation MSPTI did not see, because MSPTI then gives no size. */
static int64_t change_of(const MsptiMemory *in)
{
    if (in->bytes == 0 || in->bytes > INT64_MAX)
        return STROBE_ABSENT_I64;
    return in->operation == MSPTI_RELEASE ? -(int64_t)in->bytes : (int64_t)in->bytes;
}

void npu_take_memory(NpuRecords *records, const MsptiMemory *in)
{
    NpuEmitter *emitter = &records->emitter;

    if (!npu_records_wants(records, in->start, in->end, 0))
        return;
    StrobeStringId component = npu_emitter_text_id(emitter, "CANN");
    struct strobe_memory_event *out =
        npu_emitter_put(emitter, records->kinds.memory, sizeof *out,
                        memory_track(records, in->device), 0, in->end, NULL);
    memset(out, 0, sizeof *out);
    out->address = in->address;
    out->size = change_of(in);
    out->total_allocated = out->total_reserved = out->total_active = STROBE_ABSENT_I64;
    out->stream = in->stream == MSPTI_NO_STREAM ? STROBE_ABSENT_U64 : in->stream;
    out->action = in->operation == MSPTI_RELEASE;
    out->device = device_of(in->device);
    out->component = component;
    out->block = STROBE_ABSENT_U64;
    npu_emitter_done(emitter);
}

void npu_take_memset(NpuRecords *records, const MsptiMemset *in)
{
    NpuEmitter *emitter = &records->emitter;
    const uint64_t end = in->end;

    if (!npu_records_wants(records, in->start, end, 0))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, "memset");
    struct npu_set *out = npu_emitter_put(emitter, records->kinds.set, sizeof *out,
                                          memory_track(records, in->device), name, in->start, &end);
    memset(out, 0, sizeof *out);
    out->bytes = in->bytes;
    out->connection = npu_records_link(records, in->correlation);
    out->value = in->value;
    /* MSPTI's value for a missing stream is equal to Strobe's absent value */
    out->stream = in->stream;
    out->device = device_of(in->device);
    out->is_async = in->is_async != 0;
    npu_emitter_done(emitter);
}

static const char *direction_name(int32_t direction)
{
    static const char *const names[] = {
        NULL, "host to host", "host to device", "device to host", "device to device", "default"};

    return direction > 0 && (size_t)direction < sizeof names / sizeof *names ? names[direction]
                                                                             : NULL;
}

void npu_take_memcpy(NpuRecords *records, const MsptiMemcpy *in)
{
    NpuEmitter *emitter = &records->emitter;
    const uint64_t end = in->end;

    if (!npu_records_wants(records, in->start, end, 0))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, "memcpy");
    StrobeStringId direction = npu_emitter_text_id(emitter, direction_name(in->direction));
    struct npu_copy *out =
        npu_emitter_put(emitter, records->kinds.copy, sizeof *out,
                        memory_track(records, in->device), name, in->start, &end);
    memset(out, 0, sizeof *out);
    out->bytes = in->bytes;
    out->connection = npu_records_link(records, in->correlation);
    out->direction = direction;
    out->stream = in->stream;
    out->device = device_of(in->device);
    out->is_async = in->is_async != 0;
    npu_emitter_done(emitter);
}
