/* SPDX-License-Identifier: Apache-2.0 */
/* Converts records of kernels and communication operations. */
#include <string.h>

#include "records.h"

/* A task in which the fields that MSPTI does not report are absent. */
const struct strobe_device_task npu_empty_task = {
    .batch = STROBE_ABSENT_U32,
    .task_id = STROBE_ABSENT_U32,
    .context = STROBE_ABSENT_U32,
    .model = STROBE_ABSENT_U32,
    .block_num = STROBE_ABSENT_U32,
    .mix_block_num = STROBE_ABSENT_U32,
    .copy_bytes = STROBE_ABSENT_U64,
    .copy_bandwidth = STROBE_ABSENT_F64,
    .exact_us = STROBE_ABSENT_F64,
    .is_kernel = 1,
};

/* Returns the flags of a task's record. A reader of the capture assigns a task to the window in
 * which it begins, unless the flag says that the task was launched in this window. */
static inline uint16_t flags_of(uint32_t seen)
{
    return seen & NPU_TASK_OF_WINDOW ? STROBE_RECORD_OF_WINDOW : 0;
}

static inline void record_kernel(NpuRecords *records, const MsptiKernel *in, uint32_t seen)
{
    NpuEmitter *emitter = &records->emitter;
    const uint64_t end = in->end;
    const NpuPlace *place =
        npu_tracks_place(&records->tracks, NPU_PLACE_STREAM, in->device, in->stream, NULL);
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    const NpuText *type = npu_emitter_text(emitter, in->type);
    StrobeStringId type_id = type->id, core = type->core;
    uint32_t mix_block_num = type->mix_block_num;

    emitter->flags = flags_of(seen);
    struct strobe_device_task *out = npu_emitter_put(emitter, records->kinds.task, sizeof *out,
                                                     place->track, name, in->start, &end);
    *out = records->empty_task;
    out->task = npu_records_next_id(records);
    out->connection = npu_records_link(records, in->correlation);
    out->stream = in->stream;
    /* a device uses the name of the core as the type of a task */
    out->task_type = core ? core : type_id;
    out->host_type = type_id;
    out->core = core;
    out->mix_block_num = mix_block_num;
    npu_emitter_done(emitter);
}

/* ---- tasks that begin after the window's end ---- */

/* Processes a task that begins after the window's end, and that may be reported before the call
 * that launched it. Returns 1 if the task must not be recorded now: its launch is not in this
 * window, or the task is held until the window's last record shows where its launch is. If there is
 * no room to hold the task, decides by the launches seen so far. */
static __attribute__((noinline)) int put_aside(NpuRecords *records, const void *in, size_t bytes,
                                               uint64_t correlation, uint32_t *seen)
{
    if (*seen & NPU_TASK_IS_KNOWN || correlation == 0 || !records->launches.is_watching)
        return (*seen & NPU_TASK_ELSEWHERE) != 0;
    if (records->n_held < NPU_HELD) {
        memcpy(&records->held[records->n_held++], in, bytes);
        return 1;
    }
    *seen |= npu_launches_place(&records->launches, correlation);
    return (*seen & NPU_TASK_ELSEWHERE) != 0;
}

void npu_take_kernel(NpuRecords *records, const MsptiKernel *in)
{
    uint32_t seen = npu_launches_see_task(&records->launches, in->correlation, NPU_LAUNCH_KERNEL);

    if (!npu_records_wants_task(records, in->device, in->start, in->end, seen))
        return;
    if (__builtin_expect(in->start > records->windows.end, 0) &&
        put_aside(records, in, sizeof *in, in->correlation, &seen))
        return;
    record_kernel(records, in, seen);
}

/* ---- communication ---- */

#define COMM_FIELDS_MAX 16

/* The fields of the standard kind, followed by the stream, which MSPTI reports. */
struct npu_comm_op {
    struct strobe_comm_op standard;
    uint32_t stream, reserved;
};

static StrobeField comm_fields[COMM_FIELDS_MAX];
StrobeKind npu_comm_kind;

__attribute__((constructor)) static void add_stream(void)
{
    const StrobeField stream = {"npu_task.stream", STROBE_FIELD_U32, 0, "",
                                "Stream on the device."};
    uint32_t n = strobe_kind_comm_op.n_fields;

    memcpy(comm_fields, strobe_kind_comm_op.fields, n * sizeof *comm_fields);
    comm_fields[n] = stream;
    npu_comm_kind = strobe_kind_comm_op;
    npu_comm_kind.fields = comm_fields;
    npu_comm_kind.n_fields = n + 1;
}

static const char *data_type_name(int32_t type)
{
    static const char *const names[] = {
        "INT8",   "INT16", "INT32", "FP16",   "FP32", "INT64", "UINT64",  "UINT8",   "UINT16",
        "UINT32", "FP64",  "BFP16", "INT128", NULL,   "HIF8",  "FP8E4M3", "FP8E5M2", "FP8E8M0",
    };

    return type >= 0 && (size_t)type < sizeof names / sizeof *names ? names[type] : NULL;
}

static struct strobe_comm_op empty_op(void)
{
    struct strobe_comm_op op;

    memset(&op, 0, sizeof op);
    op.connection = op.count = STROBE_ABSENT_U64;
    op.model = op.rank_size = op.relay = op.retry = STROBE_ABSENT_U32;
    op.exact_us = STROBE_ABSENT_F64;
    return op;
}

/* Returns the track of a communicator, found by the string id of its name, because only the name
 * identifies a communicator. */
static StrobeTrackId group_track(NpuRecords *records, uint32_t device, const char *name,
                                 StrobeStringId group)
{
    uint32_t which = strobe_string_is_lasting(group) ? group : 0;

    return npu_tracks_place(&records->tracks, NPU_PLACE_GROUP, device, which, which ? name : NULL)
        ->track;
}

static void put_operation(NpuRecords *records, const struct strobe_comm_op *op, uint32_t stream,
                          StrobeTrackId track, StrobeStringId name, uint64_t begin, uint64_t end)
{
    NpuEmitter *emitter = &records->emitter;
    struct npu_comm_op *out =
        npu_emitter_put(emitter, records->kinds.comm, sizeof *out, track, name, begin, &end);

    /* MSPTI's value for a missing stream is equal to Strobe's absent value */
    *out = (struct npu_comm_op){.standard = *op, .stream = stream};
    npu_emitter_done(emitter);
}

static void record_communication(NpuRecords *records, const MsptiCommunication *in, uint32_t seen)
{
    NpuEmitter *emitter = &records->emitter;
    struct strobe_comm_op op = empty_op();

    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    op.group = npu_emitter_text_id(emitter, in->group);
    op.algorithm = npu_emitter_text_id(emitter, in->algorithm);
    op.data_type = npu_emitter_text_id(emitter, data_type_name(in->data_type));
    op.op = npu_records_next_id(records);
    op.connection = npu_records_link(records, in->correlation);
    op.count = in->count;
    StrobeTrackId track = group_track(records, in->device, in->group, op.group);
    emitter->flags = flags_of(seen);
    put_operation(records, &op, in->stream, track, name, in->start, in->end);
}

void npu_take_communication(NpuRecords *records, const MsptiCommunication *in)
{
    uint32_t seen =
        npu_launches_see_task(&records->launches, in->correlation, NPU_LAUNCH_OPERATION);

    if (!npu_records_wants_task(records, in->device, in->start, in->end, seen))
        return;
    if (in->start > records->windows.end &&
        put_aside(records, in, sizeof *in, in->correlation, &seen))
        return;
    record_communication(records, in, seen);
}

void npu_records_release_held(NpuRecords *records)
{
    for (uint32_t i = 0; i < records->n_held; i++) {
        const NpuHeld *held = &records->held[i];
        int is_kernel = held->kind == MSPTI_KIND_KERNEL;
        uint64_t id = is_kernel ? held->kernel.correlation : held->communication.correlation;
        uint32_t seen = npu_launches_place(&records->launches, id);
        if (seen & NPU_TASK_ELSEWHERE)
            continue;
        if (is_kernel)
            record_kernel(records, &held->kernel, seen);
        else
            record_communication(records, &held->communication, seen);
    }
    records->n_held = 0;
}

/* Records a communication operation that MSPTI measured by marks around it (kind HCCL). The
 * operations are the same as those of the kind COMMUNICATION, so this kind is used only if
 * COMMUNICATION is not recorded. */
void npu_take_hccl(NpuRecords *records, const MsptiHccl *in)
{
    NpuEmitter *emitter = &records->emitter;
    struct strobe_comm_op op = empty_op();

    if (!npu_records_wants_task(records, in->device, in->start, in->end, 0))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    op.group = npu_emitter_text_id(emitter, in->group);
    op.op = npu_records_next_id(records);
    StrobeTrackId track = group_track(records, in->device, in->group, op.group);
    put_operation(records, &op, in->stream, track, name, in->start, in->end);
}
