/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts MSPTI's records to Strobe's records.
 *
 * Only one thread at a time may use this. If the emitter has no writer, nothing is recorded, but
 * marks that begin before a window are stored.
 */
#ifndef STROBE_PLUGINS_NPU_TASK_RECORDS_H
#define STROBE_PLUGINS_NPU_TASK_RECORDS_H

#include <strobe/kinds.h>

#include <strobe/helpers/mstx-link.h>
#include "emitter.h"
#include "npu-launches.h"
#include "mark-table.h"
#include "mspti-abi.h"
#include "tracks.h"
#include "walk.h"
#include "windows.h"

typedef struct NpuKinds {
    StrobeKindId task, comm, call, memory, copy, set, external, range, instant, pair, metadata,
        diagnostic;
} NpuKinds;

typedef struct NpuCounts {
    uint64_t n_reported; /* number of records of the window */
    uint64_t n_late;
    /* number of launches whose tasks were not reported before the window was sealed */
    uint64_t n_awaited;
    /* number of records that end before they begin, or have an impossible time */
    uint64_t n_mistimed;
    uint64_t n_unknown; /* number of buffers whose last bytes are of no known kind */
    uint64_t unknown_bytes;
    uint64_t n_newer;    /* number of records of kinds that are newer than this plugin */
    uint64_t n_overdue;  /* number of buffers that were not handed over in time */
    uint64_t n_dropped;  /* number of records that MSPTI counts as dropped */
    uint64_t n_gone;     /* number of buffers that another client has taken */
    uint64_t n_launches; /* number of calls of the node level */
    /* number of records near a step of the wall clock for which it is unknown whether they are
     * before or after the step */
    uint64_t n_unplaced;
    uint64_t unplaced_ns; /* largest possible error of the times of these records */
    /* number of ends of ranges without a begin, and of ranges that were removed from the table */
    uint64_t n_unpaired;
    uint64_t n_open;      /* number of ranges that had not ended when the window ended */
    uint64_t n_crowded;   /* number of begins of marks for which there was no room */
    uint64_t n_externals; /* number of external ids whose thread is unknown */
    uint64_t n_unheld;    /* number of external ids for which there was no room */
} NpuCounts;

#define NPU_EXTERNALS (1u << 20) /* maximum number of the program's ids that wait */

typedef struct NpuExternal {
    uint64_t correlation, id, at;
    uint32_t id_type;
} NpuExternal;

/* maximum number of tasks that wait because their launch is not known yet */
#define NPU_HELD 4096u

typedef struct NpuHeld {
    union {
        int32_t kind;
        MsptiKernel kernel;
        MsptiCommunication communication;
    };
} NpuHeld;

typedef struct NpuRecords {
    NpuEmitter emitter;
    NpuTracks tracks;
    NpuKinds kinds;
    NpuWindows windows;
    NpuCounts counts;
    NpuMarkTable marks;
    /* no record can have ended before this time, and no device task can have begun before it */
    uint64_t first_time;
    uint64_t latest;           /* no record can have begun after this time */
    uint32_t bad_device;       /* device whose records had impossible times */
    int has_reported_no_tasks; /* the message was logged in this session */
    int may_need_preload;      /* the library is older than May 2026 and not preloaded */
    const char *client;        /* name of the other client, for messages; "": unknown */
    int leaves_host_marks;     /* the collector `marker` records the host's marks */
    uint32_t launch_thread;    /* the first thread that launched something */
    int has_several_threads;   /* more than one thread launches */
    uint64_t next_id, end_id;  /* range of ids that the host reserved for this plugin */
    uint64_t link_source;      /* upper bits of the links that are made from MSPTI's ids */
    uint32_t left_out;         /* kinds of calls that are requested only for their ids, as bits */
    uint64_t last_call;        /* begin of the last call of this window */
    uint64_t n_crowded_open;   /* number of open marks for which the table had no room */
    uint32_t n_externals, external_room;
    NpuExternal *externals; /* grows if necessary, and is never freed */
    NpuLaunches launches;
    /* copied into each record; a constant would be built for each record, with slow `rep stos` */
    struct strobe_device_task empty_task;
    uint32_t n_held;
    NpuHeld held[NPU_HELD]; /* tasks that began after the end of the window */
} NpuRecords;

extern const StrobeKind npu_copy_kind, npu_set_kind, npu_external_kind;
extern StrobeKind npu_comm_kind; /* comm_op with the stream */
extern const StrobeKind npu_range_kind, npu_instant_kind;
extern const struct strobe_device_task npu_empty_task;

StrobeStatus npu_records_open(NpuRecords *records, const StrobeHost *host, StrobeInstance *self);

/* Processes the next records of a buffer, at most `n`. Returns 1 if these were the last. */
int npu_records_take(NpuRecords *records, MsptiWalk *walk, uint32_t n);

/* Records the open ranges with `now` as their end. Must be called when the window ends. */
void npu_records_end_window(NpuRecords *records, uint64_t now);

/* Records the tasks in `held` that were launched in the window. */
void npu_records_release_held(NpuRecords *records);

/* Records the program's ids that were held back; counts them instead if several threads launch. */
void npu_records_release_externals(NpuRecords *records);

/* ---- by kind ---- */

void npu_take_kernel(NpuRecords *records, const MsptiKernel *in);
void npu_take_communication(NpuRecords *records, const MsptiCommunication *in);
void npu_take_hccl(NpuRecords *records, const MsptiHccl *in);
void npu_take_call(NpuRecords *records, const MsptiApi *in);
void npu_take_memory(NpuRecords *records, const MsptiMemory *in);
void npu_take_memset(NpuRecords *records, const MsptiMemset *in);
void npu_take_memcpy(NpuRecords *records, const MsptiMemcpy *in);
void npu_take_external(NpuRecords *records, const MsptiExternal *in);
void npu_take_marker(NpuRecords *records, const MsptiMarker *in);

/* Returns whether a record with these times must be recorded, and counts the record. A record that
 * begins after the window's end belongs to the window only if `is_of_window` is set. */
static inline int npu_records_wants(NpuRecords *records, uint64_t begin, uint64_t end,
                                    int is_of_window)
{
    if (__builtin_expect(end < begin || begin > records->latest || end < records->first_time, 0)) {
        records->counts.n_mistimed++;
        return 0;
    }
    int place = npu_windows_place(&records->windows, begin);
    if (__builtin_expect(place == NPU_IN_WINDOW && records->emitter.writer != NULL, 1)) {
        int is_own = is_of_window || begin <= records->windows.end;
        records->counts.n_reported += (uint64_t)is_own;
        return is_own;
    }
    records->counts.n_late += place == NPU_LATE;
    return 0;
}

/* Returns whether a task of the device must be recorded. If a driver does not report the rate of a
 * device's clock, the times can be wrong by a factor. `seen` is the state of the task's launch,
 * NPU_TASK_*: an earlier window may have counted the task already. */
static inline int npu_records_wants_task(NpuRecords *records, uint32_t device, uint64_t begin,
                                         uint64_t end, uint32_t seen)
{
    int is_bad = begin < records->first_time || begin > records->latest;

    if (__builtin_expect(is_bad || end < begin, 0)) {
        records->bad_device = is_bad ? device : records->bad_device;
        records->counts.n_mistimed++;
        return 0;
    }
    int place = npu_windows_place(&records->windows, begin);
    if (__builtin_expect(place == NPU_IN_WINDOW && records->emitter.writer != NULL, 1)) {
        records->counts.n_reported += begin <= records->windows.end || (seen & NPU_TASK_OF_WINDOW);
        return 1;
    }
    if (!(seen & NPU_TASK_COUNTED))
        records->counts.n_late += place == NPU_LATE || (seen & NPU_TASK_OF_PAST);
    return 0;
}

/* Converts an id of MSPTI to a link, as the host's link_of does. Returns STROBE_ABSENT_U64 for 0
 * and for ids that are too large. */
static inline uint64_t npu_records_link(const NpuRecords *records, uint64_t id)
{
    return __builtin_expect(id - 1 < STROBE_LINK_DEALT - 1, 1) ? records->link_source | id
                                                               : STROBE_ABSENT_U64;
}

uint64_t npu_records_new_ids(NpuRecords *records);

static inline uint64_t npu_records_next_id(NpuRecords *records)
{
    return __builtin_expect(records->next_id != records->end_id, 1) ? records->next_id++
                                                                    : npu_records_new_ids(records);
}

#endif
