/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

#include <string.h>

#define IDS_AT_ONCE 4096u
#define AHEAD 1024

uint64_t npu_records_new_ids(NpuRecords *records)
{
    const NpuEmitter *emitter = &records->emitter;

    records->next_id = emitter->host->link_ids(emitter->self, IDS_AT_ONCE);
    records->end_id = records->next_id + IDS_AT_ONCE;
    return records->next_id++;
}

static StrobeStatus declare_kinds(NpuKinds *kinds, const StrobeHost *host, StrobeInstance *self)
{
    const struct {
        const StrobeKind *kind;
        StrobeKindId *id;
    } all[] = {
        {&strobe_kind_device_task, &kinds->task},
        {&npu_comm_kind, &kinds->comm},
        {&strobe_kind_api_call, &kinds->call},
        {&strobe_kind_memory_event, &kinds->memory},
        {&npu_copy_kind, &kinds->copy},
        {&npu_set_kind, &kinds->set},
        {&npu_external_kind, &kinds->external},
        {&npu_range_kind, &kinds->range},
        {&npu_instant_kind, &kinds->instant},
        {&strobe_kind_clock_sync, &kinds->pair},
        {&strobe_kind_metadata, &kinds->metadata},
        {&strobe_kind_diagnostic, &kinds->diagnostic},
    };
    StrobeStatus status = STROBE_OK;

    for (size_t i = 0; i < sizeof all / sizeof *all && status == STROBE_OK; i++)
        status = host->kind(self, all[i].kind, all[i].id);
    return status;
}

StrobeStatus npu_records_open(NpuRecords *records, const StrobeHost *host, StrobeInstance *self)
{
    StrobeStatus status = declare_kinds(&records->kinds, host, self);

    if (status != STROBE_OK)
        return status;
    npu_emitter_open(&records->emitter, host, self);
    npu_tracks_open(&records->tracks, host, self);
    npu_windows_open(&records->windows);
    records->latest = 0;
    npu_mark_table_clear(&records->marks);
    memset(&records->counts, 0, sizeof records->counts);
    records->bad_device = MSPTI_NO_DEVICE;
    records->has_reported_no_tasks = 0;
    records->has_several_threads = 0;
    records->launch_thread = 0;
    records->n_externals = records->n_held = 0;
    records->n_crowded_open = 0;
    records->next_id = records->end_id = 0;
    records->link_source = host->link_of(self, 1) & ~(((uint64_t)1 << STROBE_LINK_BITS) - 1);
    records->last_call = 0;
    records->empty_task = npu_empty_task;
    npu_launches_end(
        /* MSPTI numbers the launches of the whole process, so the table of launches is kept */
        &records->launches);
    return STROBE_OK;
}

static void take_one(NpuRecords *records, int32_t kind, const void *record)
{
    switch (kind) {
    case MSPTI_KIND_KERNEL:
        npu_take_kernel(records, record);
        break;
    case MSPTI_KIND_API:
    case MSPTI_KIND_ACL_API:
    case MSPTI_KIND_NODE_API:
    case MSPTI_KIND_RUNTIME_API:
        npu_take_call(records, record);
        break;
    case MSPTI_KIND_MARKER:
        npu_take_marker(records, record);
        break;
    case MSPTI_KIND_COMMUNICATION:
        npu_take_communication(records, record);
        break;
    case MSPTI_KIND_HCCL:
        npu_take_hccl(records, record);
        break;
    case MSPTI_KIND_MEMORY:
        npu_take_memory(records, record);
        break;
    case MSPTI_KIND_MEMSET:
        npu_take_memset(records, record);
        break;
    case MSPTI_KIND_MEMCPY:
        npu_take_memcpy(records, record);
        break;
    case MSPTI_KIND_EXTERNAL:
        npu_take_external(records, record);
        break;
    }
}

int npu_records_take(NpuRecords *records, MsptiWalk *walk, uint32_t n)
{
    const void *record = NULL;
    int32_t kind;

    while (n-- > 0 && (record = mspti_walk_next(walk, &kind))) {
        /* prefetches later records, because the buffer is in the cache of the processor that filled
         * it */
        __builtin_prefetch((const char *)record + AHEAD);
        if (__builtin_expect(kind == MSPTI_KIND_KERNEL, 1))
            npu_take_kernel(records, record);
        else if (kind >= MSPTI_KINDS)
            records->counts.n_newer++;
        else
            take_one(records, kind, record);
    }
    npu_emitter_flush(&records->emitter);
    if (record)
        return 0;
    if (walk->at < walk->valid) {
        records->counts.n_unknown++;
        records->counts.unknown_bytes += walk->valid - walk->at;
    }
    return 1;
}
