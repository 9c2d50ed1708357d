/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels and communication operations. */
#include <string.h>

#include "records.h"

/* What MSPTI does not tell is absent. */
static const struct strobe_device_task empty_task = {
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

void npu_take_kernel(NpuRecords *records, const MsptiKernel *in)
{
    NpuEmitter *emitter = &records->emitter;
    const uint64_t end = in->end;

    int is_counted = npu_launches_see_task(&records->launches, in->correlation, NPU_LAUNCH_KERNEL);
    if (!npu_records_wants_task(records, in->device, in->start, end, is_counted))
        return;
    const NpuPlace *place =
        npu_tracks_place(&records->tracks, NPU_PLACE_STREAM, in->device, in->stream, NULL);
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    const NpuText *type = npu_emitter_text(emitter, in->type);
    StrobeStringId type_id = type->id, core = type->core;
    struct strobe_device_task *out = npu_emitter_put(emitter, records->kinds.task, sizeof *out,
                                                     place->track, name, in->start, &end);
    *out = empty_task;
    out->task = npu_records_next_id(records);
    out->connection = npu_records_link(records, in->correlation);
    out->stream = in->stream;
    out->task_type = core ? core : type_id; /* the device calls a task by its core */
    out->host_type = type_id;
    out->core = core;
    npu_emitter_done(emitter);
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

/* A communicator's row; by the text's id, for that is what tells it from others. */
static StrobeTrackId group_track(NpuRecords *records, uint32_t device, const char *name,
                                 StrobeStringId group)
{
    uint32_t which = strobe_string_is_lasting(group) ? group : 0;

    return npu_tracks_place(&records->tracks, NPU_PLACE_GROUP, device, which, which ? name : NULL)
        ->track;
}

void npu_take_communication(NpuRecords *records, const MsptiCommunication *in)
{
    NpuEmitter *emitter = &records->emitter;
    struct strobe_comm_op op = empty_op();
    const uint64_t end = in->end;

    int is_counted =
        npu_launches_see_task(&records->launches, in->correlation, NPU_LAUNCH_OPERATION);
    if (!npu_records_wants_task(records, in->device, in->start, end, is_counted))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    op.group = npu_emitter_text_id(emitter, in->group);
    op.algorithm = npu_emitter_text_id(emitter, in->algorithm);
    op.data_type = npu_emitter_text_id(emitter, data_type_name(in->data_type));
    op.op = npu_records_next_id(records);
    op.connection = npu_records_link(records, in->correlation);
    op.count = in->count;
    StrobeTrackId track = group_track(records, in->device, in->group, op.group);
    struct strobe_comm_op *out =
        npu_emitter_put(emitter, records->kinds.comm, sizeof *out, track, name, in->start, &end);
    *out = op;
    npu_emitter_done(emitter);
}

/* The same operations, measured by marks around them: where communication is not told. */
void npu_take_hccl(NpuRecords *records, const MsptiHccl *in)
{
    NpuEmitter *emitter = &records->emitter;
    struct strobe_comm_op op = empty_op();
    const uint64_t end = in->end;

    if (!npu_records_wants_task(records, in->device, in->start, end, 0))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, in->name);
    op.group = npu_emitter_text_id(emitter, in->group);
    op.op = npu_records_next_id(records);
    StrobeTrackId track = group_track(records, in->device, in->group, op.group);
    struct strobe_comm_op *out =
        npu_emitter_put(emitter, records->kinds.comm, sizeof *out, track, name, in->start, &end);
    *out = op;
    npu_emitter_done(emitter);
}
