/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the library's records into Strobe's.
 *
 * One thread at a time uses it. The emitter decides whether a record is written or only remembered,
 * as are marks that began before the window: without a writer nothing is recorded.
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
    uint64_t n_reported; /* records of the window */
    uint64_t n_late;
    uint64_t n_awaited;  /* launches whose tasks had not been told when the window was sealed */
    uint64_t n_mistimed; /* with an end before the begin, or a time that cannot be */
    uint64_t n_unknown;  /* buffers with a rest that is of no known kind */
    uint64_t unknown_bytes;
    uint64_t n_newer;     /* records of kinds that the library alone knows */
    uint64_t n_overdue;   /* buffers that did not come back */
    uint64_t n_dropped;   /* by MSPTI, as it says */
    uint64_t n_gone;      /* buffers that went to another client */
    uint64_t n_launches;  /* calls of the node level */
    uint64_t n_unplaced;  /* records near a step of the clock: on which side is not known */
    uint64_t unplaced_ns; /* by how much these may be off */
    uint64_t n_unpaired;  /* ends of ranges that did not begin, and ranges that were forgotten */
    uint64_t n_open;      /* ranges that had not ended with the window */
    uint64_t n_crowded;   /* begins of marks that there was no room for */
    uint64_t n_externals; /* external ids whose thread is unknown */
    uint64_t n_unheld;    /* that there was no room for */
} NpuCounts;

#define NPU_EXTERNALS (1u << 20) /* ids of the program that are held back, at most */

typedef struct NpuExternal {
    uint64_t correlation, id, at;
    uint32_t id_type;
} NpuExternal;

#define NPU_HELD 4096u /* tasks whose launch is not known yet, at most */

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
    uint64_t first_time;       /* before which nothing can have ended, or begun on a device */
    uint64_t latest;           /* behind which nothing can have begun yet */
    uint32_t bad_device;       /* told of: its times cannot be */
    int has_reported_no_tasks; /* in this session */
    int may_need_preload;      /* the library is older than May 2026, and not preloaded */
    const char *client;        /* who that is, for messages; "": not known */
    int leaves_host_marks;     /* the collector marker records them */
    uint32_t launch_thread;    /* the first that launched something */
    int has_several_threads;   /* that launch */
    uint64_t next_id, end_id;  /* links of our own */
    uint64_t link_source;      /* the upper bits of links of MSPTI's ids */
    uint32_t left_out;         /* kinds of calls that are told for their ids alone, as bits */
    uint64_t last_call;        /* begin of the last call of this window */
    uint64_t n_crowded_open;   /* marks that were left out and have not ended */
    uint32_t n_externals, external_room;
    NpuExternal *externals; /* grows, and stays */
    NpuLaunches launches;
    struct strobe_device_task empty_task; /* a constant is made anew each time, by rep stos */
    uint32_t n_held;
    NpuHeld held[NPU_HELD]; /* began behind the window's end */
} NpuRecords;

extern const StrobeKind npu_copy_kind, npu_set_kind, npu_external_kind;
extern StrobeKind npu_comm_kind; /* comm_op with the stream */
extern const StrobeKind npu_range_kind, npu_instant_kind;
extern const struct strobe_device_task npu_empty_task;

StrobeStatus npu_records_open(NpuRecords *records, const StrobeHost *host, StrobeInstance *self);

/* The next records of a buffer, so many at most. 1: these were the last. */
int npu_records_take(NpuRecords *records, MsptiWalk *walk, uint32_t n);

/* The window's end: ranges that are still open are recorded as far as they got. */
void npu_records_end_window(NpuRecords *records, uint64_t now);

/* Records tasks that began after the window's end, if they were launched in the window. */
void npu_records_release_held(NpuRecords *records);

/* Records the program's ids that were held back, or counts them where they cannot be told apart. */
void npu_records_release_externals(NpuRecords *records);

/* ---- by sort ---- */

void npu_take_kernel(NpuRecords *records, const MsptiKernel *in);
void npu_take_communication(NpuRecords *records, const MsptiCommunication *in);
void npu_take_hccl(NpuRecords *records, const MsptiHccl *in);
void npu_take_call(NpuRecords *records, const MsptiApi *in);
void npu_take_memory(NpuRecords *records, const MsptiMemory *in);
void npu_take_memset(NpuRecords *records, const MsptiMemset *in);
void npu_take_memcpy(NpuRecords *records, const MsptiMemcpy *in);
void npu_take_external(NpuRecords *records, const MsptiExternal *in);
void npu_take_marker(NpuRecords *records, const MsptiMarker *in);

/* Is a record with these times to be recorded? Counts what is not. What begins behind the window's
 * end is the window's only if that is known: `is_of_window`. */
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

/* Returns whether to record a task of the device. Clocks of devices can be off by a factor if a
 * driver does not report their rate. `seen` is the state of its launch, NPU_TASK_*: a window may
 * have counted it already. */
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

/* An id of MSPTI's as a link, as the host's link_of makes it; absent: 0, and what is too large. */
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
