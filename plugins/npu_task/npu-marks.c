/* SPDX-License-Identifier: Apache-2.0 */
/* Records marks of mstx that MSPTI reports. MSPTI reports begins and ends separately, for the host
 * and for the device. */
#include <string.h>
#include <unistd.h>

#include <strobe/helpers/mark-kinds.h>
#include "records.h"

/* The fields of a mark. They are the same as those of the collector `marker`, because the two
 * collectors may be in the same session. */
struct npu_mark {
    uint64_t argument;
    StrobeStringId domain;
    uint32_t event;
    uint64_t range;
    int64_t category;
    uint64_t end_thread;
    StrobeStringId category_name;
    uint32_t reserved;
    uint64_t connection;
};

enum { EVENT_INSTANT = 0, EVENT_STARTED = 2 };

static const StrobeField fields[] = {
    STROBE_MARK_ARGUMENT, STROBE_MARK_DOMAIN,     STROBE_MARK_EVENT,         STROBE_MARK_RANGE_ID,
    STROBE_MARK_CATEGORY, STROBE_MARK_END_THREAD, STROBE_MARK_CATEGORY_NAME, STROBE_MARK_CONNECTION,
};
#define N_FIELDS (sizeof fields / sizeof *fields)

const StrobeKind npu_range_kind = STROBE_MARK_RANGE_KIND(fields, N_FIELDS);
const StrobeKind npu_instant_kind = STROBE_MARK_INSTANT_KIND(fields, N_FIELDS);

/* ---- one side of a mark ---- */

typedef struct Side {
    uint64_t begin, end;
    StrobeTrackId track;
    uint64_t end_thread;
    /* the record belongs to the window even if this side begins after the window's end */
    int is_of_window;
} Side;

static void record_side(NpuRecords *records, const NpuMark *mark, const Side *side)
{
    NpuEmitter *emitter = &records->emitter;
    int is_instant = (mark->has & NPU_MARK_IS_INSTANT) != 0;
    const uint64_t end = side->end;

    if (!npu_records_wants(records, side->begin, end, side->is_of_window))
        return;
    StrobeStringId name = npu_emitter_text_id(emitter, mark->name);
    StrobeStringId domain = npu_emitter_text_id(emitter, mark->domain);
    emitter->flags = side->is_of_window ? STROBE_RECORD_OF_WINDOW : 0;
    struct npu_mark *out =
        npu_emitter_put(emitter, is_instant ? records->kinds.instant : records->kinds.range,
                        sizeof *out, side->track, name, side->begin, is_instant ? NULL : &end);
    memset(out, 0, sizeof *out);
    out->argument = STROBE_ABSENT_U64;
    out->domain = domain;
    out->event = is_instant ? EVENT_INSTANT : EVENT_STARTED;
    out->range = is_instant ? STROBE_ABSENT_U64 : mark->id;
    out->category = STROBE_ABSENT_I64;
    out->end_thread = side->end_thread;
    out->connection = mark->has & NPU_MARK_ON_DEVICE
                          ? npu_records_link(records, MSTX_LINK_OF_MARK | mark->id)
                          : STROBE_ABSENT_U64;
    npu_emitter_done(emitter);
}

static void record_host(NpuRecords *records, NpuMark *mark)
{
    const Side side = {
        .begin = mark->host_begin,
        .end = mark->host_end,
        .track = npu_tracks_place(&records->tracks, NPU_PLACE_MARKS, 0, mark->thread, NULL)->track,
        .end_thread = mark->has & NPU_MARK_IS_INSTANT ? STROBE_ABSENT_U64
                                                      : (uint64_t)getpid() << 32 | mark->end_thread,
    };

    mark->has |= NPU_MARK_HOST_DONE;
    if (!records->leaves_host_marks)
        record_side(records, mark, &side);
}

/* Returns whether the program made the mark in this window. The device may process the mark on its
 * stream after the window's end. */
static int was_made_in_window(const NpuRecords *records, const NpuMark *mark)
{
    return npu_windows_place(&records->windows, mark->host_begin) == NPU_IN_WINDOW &&
           mark->host_begin <= records->windows.end;
}

static void record_device(NpuRecords *records, NpuMark *mark)
{
    const Side side = {
        .begin = mark->device_begin,
        .end = mark->device_end,
        .track =
            npu_tracks_place(&records->tracks, NPU_PLACE_STREAM, mark->device, mark->stream, NULL)
                ->track,
        .end_thread = STROBE_ABSENT_U64,
        .is_of_window = was_made_in_window(records, mark),
    };

    mark->has |= NPU_MARK_DEVICE_DONE;
    record_side(records, mark, &side);
}

/* ---- from records to marks ---- */

static void take_host(NpuMark *mark, const MsptiMarker *in)
{
    if (in->flag == MSPTI_MARK_END || in->flag == MSPTI_MARK_END_DEVICE) {
        mark->has |= NPU_MARK_HOST_END;
        mark->host_end = in->timestamp;
        mark->end_thread = in->object[1];
        return;
    }
    mark->has |= NPU_MARK_HOST_BEGIN;
    mark->host_begin = in->timestamp;
    mark->thread = in->object[1];
    mark->name = in->name;
    mark->domain = in->domain;
}

static void take_device(NpuMark *mark, const MsptiMarker *in)
{
    if (in->flag == MSPTI_MARK_END_DEVICE) {
        mark->has |= NPU_MARK_DEVICE_END;
        mark->device_end = in->timestamp;
        return;
    }
    mark->has |= NPU_MARK_DEVICE_BEGIN;
    mark->device_begin = in->timestamp;
    mark->device = in->object[0];
    mark->stream = in->object[1];
}

static int has_parts(const NpuMark *mark, uint32_t what)
{
    return (mark->has & what) == what;
}

/* Records each complete side of the mark. The text comes from the host's begin, so the device's
 * side is recorded only after this begin was reported. Returns whether all sides are recorded. */
static int record_what_is_whole(NpuRecords *records, NpuMark *mark)
{
    uint32_t device = NPU_MARK_HOST_BEGIN | NPU_MARK_DEVICE_BEGIN | NPU_MARK_DEVICE_END;

    if (has_parts(mark, NPU_MARK_HOST_BEGIN | NPU_MARK_HOST_END) &&
        !has_parts(mark, NPU_MARK_HOST_DONE))
        record_host(records, mark);
    if (has_parts(mark, device) && !has_parts(mark, NPU_MARK_DEVICE_DONE))
        record_device(records, mark);
    return has_parts(mark, NPU_MARK_HOST_DONE) &&
           (!has_parts(mark, NPU_MARK_ON_DEVICE) || has_parts(mark, NPU_MARK_DEVICE_DONE));
}

static int is_end(const MsptiMarker *in)
{
    return in->flag == MSPTI_MARK_END || in->flag == MSPTI_MARK_END_DEVICE;
}

static int is_instant(const MsptiMarker *in)
{
    return in->flag == MSPTI_MARK_INSTANT || in->flag == MSPTI_MARK_INSTANT_DEVICE;
}

static int is_begin(const MsptiMarker *in)
{
    return in->flag == MSPTI_MARK_START || in->flag == MSPTI_MARK_START_DEVICE;
}

/* Counts a mark for which the table has no room. Its whole range is lost, so its end is not counted
 * as unpaired. */
static void leave_out(NpuRecords *records, const MsptiMarker *in)
{
    int is_host = in->source != MSPTI_SOURCE_DEVICE;
    int is_recorded = !is_host || !records->leaves_host_marks;
    int place = npu_windows_place(&records->windows, in->timestamp);

    if (is_end(in)) {
        if (is_host && records->n_crowded_open)
            records->n_crowded_open--;
        else
            records->counts.n_unpaired += is_host;
        return;
    }
    records->counts.n_crowded += is_recorded && place == NPU_IN_WINDOW;
    records->n_crowded_open += is_host && is_begin(in);
}

void npu_take_marker(NpuRecords *records, const MsptiMarker *in)
{
    NpuMark *mark;

    if (in->id == 0 || (!is_end(in) && !is_instant(in) && !is_begin(in))) {
        records->counts.n_unpaired++;
        return;
    }
    mark = npu_mark_table_get(&records->marks, in->id);
    if (!mark) {
        leave_out(records, in);
        return;
    }
    records->counts.n_reported += in->timestamp <= records->windows.end;
    if (in->flag >= MSPTI_MARK_INSTANT_DEVICE)
        mark->has |= NPU_MARK_ON_DEVICE;
    if (in->source == MSPTI_SOURCE_DEVICE)
        take_device(mark, in);
    else
        take_host(mark, in);
    if (is_instant(in)) {
        mark->has |= NPU_MARK_IS_INSTANT;
        mark->has |= in->source == MSPTI_SOURCE_DEVICE ? NPU_MARK_DEVICE_END : NPU_MARK_HOST_END;
        mark->host_end = mark->host_begin;
        mark->device_end = mark->device_begin;
    }
    if (record_what_is_whole(records, mark))
        npu_mark_table_remove(&records->marks, mark);
}

/* ---- the window's end ---- */

/* Processes a mark that is open when the window ends. Records its range with `now` as the end; the
 * range may continue in the next window. Does not record the device's side if it has not been
 * reported yet. */
static void end_mark(NpuRecords *records, NpuMark *mark, uint64_t now)
{
    if (has_parts(mark, NPU_MARK_HOST_BEGIN) && !has_parts(mark, NPU_MARK_HOST_DONE)) {
        mark->host_end = now > mark->host_begin ? now : mark->host_begin;
        mark->end_thread = mark->thread;
        record_host(records, mark);
        records->counts.n_open++;
    }
    if (has_parts(mark, NPU_MARK_HOST_BEGIN | NPU_MARK_DEVICE_BEGIN) &&
        !has_parts(mark, NPU_MARK_DEVICE_DONE)) {
        mark->device_end = now > mark->device_begin ? now : mark->device_begin;
        record_device(records, mark);
        records->counts.n_open++;
    }
    if (!has_parts(mark, NPU_MARK_HOST_BEGIN) && !has_parts(mark, NPU_MARK_HOST_DONE)) {
        mark->has |= NPU_MARK_HOST_DONE;
        if (records->n_crowded_open)
            records->n_crowded_open--;
        else
            records->counts.n_unpaired++;
    }
}

void npu_records_end_window(NpuRecords *records, uint64_t now)
{
    for (uint32_t i = 0; i < NPU_MARKS; i++)
        if (records->marks.marks[i].id)
            end_mark(records, &records->marks.marks[i], now);
    /* drops all marks, because the program may have ranges that never end */
    if (records->marks.n > NPU_MARKS / 2)
        npu_mark_table_clear(&records->marks);
    npu_records_release_held(records);
    npu_records_release_externals(records);
    npu_emitter_flush(&records->emitter);
}
