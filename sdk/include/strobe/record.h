/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record: collectors produce records, and passes and exporters consume them.
 *
 * A record is a kind, a track, one or two times, a name and the kind's fields. The capture
 * contains the description of each kind (name, shape, fields with types and units), so a reader
 * does not need the plugin that recorded it.
 *
 * In memory a record is a header (8 bytes), its begin, its end if the shape is a span, its track
 * if it is not the recording thread's own, and its fields. The fields are laid out as a C struct
 * of the field types in declaration order (natural alignment, size rounded up to 8). Since ABI
 * 1.0.
 */
#ifndef STROBE_RECORD_H
#define STROBE_RECORD_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t StrobeKindId;   /* id of a kind in its session; 0: no kind */
typedef uint32_t StrobeStringId; /* id of interned bytes; 0: no string */
typedef uint32_t StrobeStackId; /* id of a list of string ids, innermost frame first; 0: no stack */
/* id of the row on which a record is shown; 0: the recording thread's own track */
typedef uint32_t StrobeTrackId;
typedef uint64_t StrobeTicks; /* the session's host clock, see StrobeHost.now */

/* A lasting id stands for its string or stack until the session ends. If the session's table is
 * full, an id is valid only for the thread's next record and must not be kept. */
static inline int strobe_string_is_lasting(uint32_t id)
{
    return id != 0 && !(id & 0x80000000u);
}

/* Which times a record has, and how a viewer draws it. */
enum {
    STROBE_SHAPE_SPAN = 1,    /* has begin and end */
    STROBE_SHAPE_INSTANT = 2, /* has only a begin */
    STROBE_SHAPE_COUNTER = 3, /* has only a begin; every numeric field is a series */
    STROBE_SHAPE_MEMORY = 4,  /* has only a begin; an allocation or a release */
    STROBE_SHAPE_LINK = 5     /* has only a begin; joins two records by ids */
};

/* Field types. The size of a type is also its alignment. */
enum {
    STROBE_FIELD_U8 = 1,
    STROBE_FIELD_U32 = 2,
    STROBE_FIELD_I32 = 3,
    STROBE_FIELD_U64 = 4,
    STROBE_FIELD_I64 = 5,
    STROBE_FIELD_F64 = 6,
    STROBE_FIELD_BOOL = 7,   /* one byte, 0 or 1 */
    STROBE_FIELD_STRING = 8, /* StrobeStringId */
    STROBE_FIELD_STACK = 9,  /* StrobeStackId */
    STROBE_FIELD_TRACK = 10, /* StrobeTrackId */
    STROBE_FIELD_LINK = 11,  /* 64-bit id from StrobeHost.link_ids or link_of */
    STROBE_FIELD_LAST_ = 11
};

/* The bits from STROBE_LINK_BITS on hold the origin of a link id: the number of the collector in
 * its session, from 1; 0 for an importer, which copies the source's own ids. The bits below hold
 * the source's own id, or an id from link_ids, which has the bit STROBE_LINK_DEALT. */
#define STROBE_LINK_BITS 48
#define STROBE_LINK_DEALT ((uint64_t)1 << 47)
#define STROBE_LINK_SOURCE(id) ((uint32_t)((id) >> STROBE_LINK_BITS))

/* Values of a field that was not measured: exporters omit such a value or leave its cell empty, and
 * never show it as 0. */
#define STROBE_ABSENT_U64 UINT64_MAX
#define STROBE_ABSENT_I64 INT64_MIN
#define STROBE_ABSENT_U32 UINT32_MAX
#define STROBE_ABSENT_I32 INT32_MIN
#define STROBE_ABSENT_F64 (__builtin_nan(""))

typedef struct StrobeField {
    const char *name;    /* snake_case; a plugin's addition to a standard kind is "plugin.field" */
    uint32_t type;       /* STROBE_FIELD_* */
    uint32_t reserved;   /* 0 */
    const char *unit;    /* "ns", "B", "%", "1/s", "" */
    const char *summary; /* one sentence */
} StrobeField;

typedef struct StrobeKind {
    uint32_t struct_size; /* sizeof(StrobeKind) */
    uint32_t shape;       /* STROBE_SHAPE_* */
    const char *name;     /* a standard kind's name, or "plugin.kind" */
    const char *summary;
    const StrobeField *fields;
    uint32_t n_fields; /* at most STROBE_KIND_FIELDS_MAX */
    uint32_t reserved; /* 0 */
} StrobeKind;

#define STROBE_KIND_FIELDS_MAX 64

/* Initializers of a StrobeField, and of a StrobeKind whose fields are an array:
 *     static const StrobeField fields[] = {STROBE_FIELD("size", U64, "B", "Size of the block.")};
 *     static const StrobeKind kind = STROBE_KIND("example.block", INSTANT, fields, "One block.");
 * C only. */
#define STROBE_FIELD(name_, type_, unit_, summary_)                                                \
    {.name = name_, .type = STROBE_FIELD_##type_, .unit = unit_, .summary = summary_}
#define STROBE_KIND(name_, shape_, fields_, summary_)                                              \
    {                                                                                              \
        .struct_size = sizeof(StrobeKind),                                                         \
        .shape = STROBE_SHAPE_##shape_,                                                            \
        .name = name_,                                                                             \
        .summary = summary_,                                                                       \
        .fields = fields_,                                                                         \
        .n_fields = sizeof(fields_) / sizeof((fields_)[0]),                                        \
    }

/* Header of a record in a thread buffer. `words` is written by the host. */
typedef struct StrobeRecordHeader {
    uint16_t words; /* length of the record in 8-byte words, and the flags below */
    uint16_t kind;  /* id of the kind, below 256; bit 15: both times are in one word, which only the
                       host stores */
    StrobeStringId name;
} StrobeRecordHeader;

#define STROBE_RECORD_HAS_TRACK 0x8000u /* a track word follows the times */
/* A span without a recorded end; written only by the host. */
#define STROBE_RECORD_UNFINISHED 0x4000u
/* The record belongs to the window in which it is recorded, even if it begins outside of the
 * window, because its cause is in that window. An example is a kernel that had to wait after its
 * launch. Callers of reserve_bulk set this flag. */
#define STROBE_RECORD_OF_WINDOW 0x2000u
#define STROBE_RECORD_WORDS_MASK 0x1fffu

/* Kinds of tracks. */
enum {
    STROBE_TRACK_THREAD = 1,  /* id: kernel thread id */
    STROBE_TRACK_STREAM = 2,  /* id: device stream or queue */
    STROBE_TRACK_PLANE = 3,   /* id: communication plane */
    STROBE_TRACK_COUNTER = 4, /* a counter source */
    STROBE_TRACK_STEPS = 5,   /* the step spans of a process */
    STROBE_TRACK_PROCESS = 6  /* records of the process as a whole */
};

/* The clock of a track's times. */
enum {
    STROBE_CLOCK_HOST = 0,      /* StrobeTicks */
    STROBE_CLOCK_MONOTONIC = 1, /* CLOCK_MONOTONIC, ns */
    STROBE_CLOCK_REALTIME = 2,  /* CLOCK_REALTIME, ns since the epoch */
    STROBE_CLOCK_OF_TRACK = 3   /* ns of a separate clock, such as a device's, with any origin
                                   and any drift: see StrobeTrack.clock_track */
};

/* The call that takes this struct copies its strings. */
typedef struct StrobeTrack {
    uint32_t struct_size;
    uint32_t type;     /* STROBE_TRACK_* */
    uint32_t clock;    /* STROBE_CLOCK_* */
    int32_t device;    /* device id, -1: host */
    uint64_t id;       /* number of the thread, stream, plane ... */
    const char *name;  /* name of the row; NULL: the name is made from type and id */
    const char *group; /* group in which viewers draw it, such as "CPU Usage"; NULL: the process */

    /* With STROBE_CLOCK_OF_TRACK: the track whose "clock_sync" records pair this clock with the
     * host's; 0: the track itself. In a window without such a pair, times of this clock cannot be
     * converted to host time: they stay unchanged, and the records are marked. */
    StrobeTrackId clock_track;
    uint32_t reserved; /* 0 */
} StrobeTrack;

/* Why records were lost. Values are stored in captures. */
enum {
    STROBE_LOSS_POOL_EMPTY = 0, /* no block was free: the disk is slower than the program */
    STROBE_LOSS_DISK_FULL = 1,  /* the capture could not be written */
    STROBE_LOSS_TOO_LARGE = 2,  /* the record does not fit a block */
    STROBE_LOSS_NESTED = 3,     /* reserve inside a reserve: in a signal handler or an interposer */
    STROBE_LOSS_LATE = 4,       /* the record arrived after the window's seal */
    STROBE_LOSS_COLLECTOR_FAILED = 5,  /* its collector failed, or its kind was not declared */
    STROBE_LOSS_NO_THREAD_BUFFER = 6,  /* all thread buffers were in use by other threads */
    STROBE_LOSS_SPAN_DEPTH = 7,        /* a span that began inside 1024 open spans */
    STROBE_LOSS_STRING_CUT = 8,        /* a string was truncated or omitted (the record is kept) */
    STROBE_LOSS_COLLECTOR_DROPPED = 9, /* the source reported that it dropped records */
    STROBE_LOSS_OVERWRITTEN = 10, /* older than the time that a flight recorder keeps; normal */
    STROBE_LOSS_WRITER_GONE = 11, /* no block was free, and the writer has ended */
    STROBE_LOSS_CAUSES = 12
};

/* Returns the size in bytes of a field of the given type, 0 for an unknown type. */
static inline uint32_t strobe_field_size(uint32_t type)
{
    switch (type) {
    case STROBE_FIELD_U8:
    case STROBE_FIELD_BOOL:
        return 1;
    case STROBE_FIELD_U32:
    case STROBE_FIELD_I32:
    case STROBE_FIELD_STRING:
    case STROBE_FIELD_STACK:
    case STROBE_FIELD_TRACK:
        return 4;
    case STROBE_FIELD_U64:
    case STROBE_FIELD_I64:
    case STROBE_FIELD_F64:
    case STROBE_FIELD_LINK:
        return 8;
    default:
        return 0;
    }
}

#endif
