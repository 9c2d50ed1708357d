/* SPDX-License-Identifier: Apache-2.0 */
/* The state of one run of the importer, and the functions with which its parts pass kinds, tracks,
 * texts and records to the host. */
#ifndef STROBE_ASCEND_RAW_EMIT_H
#define STROBE_ASCEND_RAW_EMIT_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>
#include <strobe/importer.h>
#include <strobe/kinds.h>

#include "raw-clock.h"
#include "raw-files.h"
#include "ascend-raw-text-cache.h"
#include "tlv.h"

/* Kinds of the framework's files. Each is declared with its first record. */
typedef enum RawKind {
    RAW_CPU_OP,
    RAW_CPU_OP_FULL, /* cpu_op with the fields MORE_* below */
    RAW_STEP,
    RAW_TASK_QUEUE,
    RAW_MEMORY_EVENT,
    RAW_MEMORY_EVENT_FULL,
    RAW_PYTHON_CALL,
    RAW_GC,
    RAW_PARAMETER,
    RAW_DIAGNOSTIC,
    RAW_KINDS
} RawKind;

/* Indices for raw_more of the additional fields, which follow the fields of the standard kind in
 * this order. */
enum { MORE_MODULES, MORE_TENSORS, MORE_TENSOR_LISTS, MORE_SCALARS, MORE_EXTRA, MORE_END_THREAD };
enum { MORE_EXTERNAL };

struct raw_parameter {
    guint64 key;
    StrobeStringId role, tensor, gradient;
};

#define TRACK_SLOTS 1024u
#define MORE_KINDS 2u

/* A standard kind whose fields are followed by the importer's own fields. */
typedef struct MoreKind {
    StrobeKind kind;
    StrobeField fields[STROBE_KIND_FIELDS_MAX];
    guint n_base; /* number of fields of the standard kind */
} MoreKind;

typedef struct Raw {
    const StrobeImporterHost *host;
    StrobeInstance *self;
    RawFiles files;
    RawClock clock;
    TextCache *texts;
    StrobeKindId kinds[RAW_KINDS]; /* 0: not declared yet */
    MoreKind more[MORE_KINDS];
    struct {
        guint64 pid, tid;
        StrobeTrackId id; /* 0: the slot is free */
    } tracks[TRACK_SLOTS];
    guint64 pid;        /* process id in the first record; 0: no record has come */
    gint64 begin_ns;    /* begin of the session, which records without a time get as their time */
    guint64 n_bytes;    /* number of bytes read so far in all files */
    guint64 n_backward; /* records of the current file that end before they begin */
    guint64 n_outside;  /* records of the current file that begin before the epoch */
    guint64 n_invalid;  /* texts of earlier files that were not valid UTF-8 */
    gboolean is_full;
} Raw;

#define ASCEND_RAW_KINDS 81 /* including the kinds that device-half.c imports */
extern const StrobeKind *const ascend_raw_kinds[ASCEND_RAW_KINDS];

/* Returns the fields of a new record. If the capture has no room, returns NULL and sets is_full. */
void *raw_emit(Raw *raw, RawKind kind, StrobeTrackId track, StrobeStringId name, gint64 begin_ns,
               gint64 end_ns);
/* Returns the address of the index-th extra field in a record of a kind with extra fields. */
void *raw_more(const Raw *raw, RawKind kind, void *fields, guint index);
StrobeStringId raw_intern(Raw *raw, const char *text);

/* raw_thread_track returns the track of a thread, raw_process_track the track of the process. */
StrobeTrackId raw_thread_track(Raw *raw, guint64 pid, guint64 tid);
StrobeTrackId raw_process_track(Raw *raw);

/* Reports damage in a file. */
void raw_damage(Raw *raw, const char *file, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Reports the progress of the import to the host. */
void raw_progress(Raw *raw, const ByteStream *stream);

/* Returns a sorter for the events of a file that is not in order of time. */
StrobeExternalSorter *raw_sorter(Raw *raw);

/* Reports the number of rows of a file and its damage. */
void raw_tell_stream(Raw *raw, const RawFile *file, const ByteStream *stream, guint64 n_records);
/* Reports the number of rows of a file of TLV records and its damage. */
void raw_tell_tlv(Raw *raw, const RawFile *file, const TlvReader *reader);

#endif
