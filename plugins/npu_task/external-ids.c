/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ids that the program gave to its launches. MSPTI keeps the ids of all threads on one stack. If a
 * second thread launches, the thread that pushed an id is unknown, even for earlier ids. So the ids
 * are held back until the window ends.
 */
#include <stdlib.h>
#include <string.h>

#include "records.h"

struct npu_external {
    uint64_t connection, id;
    uint32_t id_type;
};

static const StrobeField fields[] = {
    {"connection", STROBE_FIELD_LINK, 0, "", "Id of the launch."},
    {"id", STROBE_FIELD_U64, 0, "", "Id that the program gave to what it launched."},
    {"sort", STROBE_FIELD_U32, 0, "", "Whose ids these are: 1 unknown, 2 to 4 custom."},
};
const StrobeKind npu_external_kind =
    STROBE_KIND("npu_task.external_id", INSTANT, fields,
                "An id that the program gave to a launch; at the time of the last call that MSPTI "
                "reported before it.");

static void record_external(NpuRecords *records, const NpuExternal *external)
{
    NpuEmitter *emitter = &records->emitter;
    StrobeTrackId track =
        npu_tracks_place(&records->tracks, NPU_PLACE_COPIES, MSPTI_NO_DEVICE, 0, NULL)->track;
    struct npu_external *out = npu_emitter_put(emitter, records->kinds.external, sizeof *out, track,
                                               0, external->at, NULL);

    memset(out, 0, sizeof *out);
    out->connection = npu_records_link(records, external->correlation);
    out->id = external->id;
    out->id_type = external->id_type;
    npu_emitter_done(emitter);
}

void npu_records_release_externals(NpuRecords *records)
{
    if (records->has_several_threads)
        records->counts.n_externals += records->n_externals;
    else
        for (uint32_t i = 0; i < records->n_externals; i++)
            record_external(records, &records->externals[i]);
    records->n_externals = 0;
}

/* Returns whether another id can be held; makes room if necessary. All ids are held until the
 * window ends, because only then it is known whether a second thread launches. */
static int has_room(NpuRecords *records)
{
    uint32_t room = records->external_room ? 2 * records->external_room : 1024;

    if (records->n_externals < records->external_room)
        return 1;
    NpuExternal *grown = room <= NPU_EXTERNALS
                             ? realloc(records->externals, room * sizeof *records->externals)
                             : NULL;
    if (!grown)
        return 0;
    records->externals = grown;
    records->external_room = room;
    return 1;
}

/* Holds an id. MSPTI reports the id before its launch, and without a time, so the record gets the
 * time of the call that was reported last. */
void npu_take_external(NpuRecords *records, const MsptiExternal *in)
{
    const NpuWindows *windows = &records->windows;

    if (records->has_several_threads) {
        records->counts.n_externals++;
        return;
    }
    if (!records->emitter.writer)
        return;
    if (!has_room(records)) {
        records->counts.n_unheld++;
        return;
    }
    records->externals[records->n_externals++] = (NpuExternal){
        .correlation = in->correlation,
        .id = in->external,
        .at = records->last_call > windows->begin ? records->last_call : windows->begin,
        .id_type = (uint32_t)in->id_type,
    };
}
