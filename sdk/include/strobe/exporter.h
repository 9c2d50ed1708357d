/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls that a pass or an exporter implements, and the host functions that it may call.
 *
 * Both are consumers: they receive batches of records of the kinds that they want. A pass also
 * emits derived records; an exporter writes files. The host runs each needed pass once. It opens
 * consumers one after the other. Then it calls each consumer from a separate thread: first with
 * all raw records in the capture's order, then with the derived records pass by pass, and
 * finally with end. A consumer's state must be bounded. Since ABI 1.0.
 */
#ifndef STROBE_EXPORTER_H
#define STROBE_EXPORTER_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* Position of a field in a record that is read. */
typedef struct StrobeFieldView {
    const char *name;
    const char *unit;
    const char *summary;
    uint32_t type;
    uint32_t offset; /* bytes from StrobeView.fields */
} StrobeFieldView;

/* A kind that the capture contains. If a plugin extends a kind, the result is a separate kind with
 * the same name. */
typedef struct StrobeKindView {
    const char *name;
    const char *summary;
    const StrobeFieldView *fields;
    uint32_t n_fields;
    uint32_t shape;
    StrobeKindId id;
    uint32_t derived; /* 1: emitted by a pass */
} StrobeKindView;

/* A clock other than the host's (STROBE_CLOCK_OF_TRACK), and its position on CLOCK_MONOTONIC in
 * this window, from the "clock_sync" records. Unknown values are absent. */
typedef struct StrobeClockView {
    uint32_t struct_size;
    StrobeTrackId track; /* track that the clock belongs to */
    uint64_t n_pairs;    /* number of times known in both clocks; 0: times of this clock cannot be
                            converted to host time */
    uint64_t n_knots;    /* number of pairs used; the unused pairs were less exact than a time
                          * interpolated between their neighbours */
    uint64_t error_ns;   /* largest error of a time outside of broken_ns */
    uint64_t host_error_ns; /* largest error of a time on the host clock */
    uint64_t width_ns;      /* largest width (strobe_clock_sync.width_ns) of a pair that was used */
    uint64_t residual_ns; /* largest distance of a used pair from the line through its neighbours */
    uint64_t broken_ns;   /* total host time between the two pairs around each jump; a
                             time between such pairs may be off by their distance */
    double drift;         /* ppm; device time per host time minus 1 */
    uint32_t n_jumps;
    uint32_t reserved;
} StrobeClockView;

typedef struct StrobeTrackView {
    StrobeTrackId id;
    uint32_t type; /* STROBE_TRACK_* */
    int32_t device;
    uint32_t reserved;
    uint64_t pid;                 /* id of the recorded process */
    uint64_t number;              /* number of the thread, stream, plane ... */
    const char *name;             /* "" if none was given */
    const char *group;            /* "" if none was given */
    const StrobeClockView *clock; /* NULL: the host clock */
} StrobeTrackView;

enum {
    STROBE_VIEW_UNFINISHED = 1u << 0,  /* the span was still open when the window ended or the
                                          program died; end_ns is the window's end */
    STROBE_VIEW_STRADDLES = 1u << 1,   /* the record ended after the window */
    STROBE_VIEW_INCOMPLETE = 1u << 2,  /* the record was derived from incomplete records: counts and
                                          sums may be too small, self times too large */
    STROBE_VIEW_CLOCK_UNSURE = 1u << 3 /* on a device's clock without a reliable position on the
                                          host clock: no pair was recorded (the times are the
                                          device's own), or the clock jumped near it */
};

/* One record, valid during the batch call only. */
typedef struct StrobeView {
    const StrobeKindView *kind;
    const void *fields; /* laid out as in kind->fields[].offset */
    int64_t begin_ns;   /* since the epoch, UTC */
    int64_t end_ns;     /* equals begin_ns for shapes without an end */
    StrobeTrackId track;
    StrobeStringId name;
    uint32_t flags; /* STROBE_VIEW_* */
    uint32_t reserved;
} StrobeView;

typedef struct StrobeText {
    const char *bytes; /* followed by a NUL at `length`; may contain any bytes */
    size_t length;
} StrobeText;

/* Metadata of the exported result; valid from open to close. */
typedef struct StrobeMetadata {
    uint32_t struct_size;
    int32_t rank; /* -1: unknown */
    uint64_t pid;
    const char *host;
    const char *command;
    const char *strobe_version;
    int64_t window_begin_ns; /* since the epoch */
    int64_t window_end_ns;   /* end of the last record or of the seal, if known */
    uint64_t n_lost;         /* records lost in the window, for all causes; known from raw_end on */
    uint64_t n_stored;       /* records in the capture except loss records; known from raw_end
                                on. n_stored + n_lost is the number of records that collectors
                                tried to record */
    int32_t directory;       /* descriptor of the output folder (exporters), -1 for passes */
    int32_t complete;        /* 0: the capture was not sealed, or parts of it were unreadable */
    const char *directory_path; /* for messages only */
    int32_t generation;         /* generation of the Ascend file formats to write, 1 to 3 */
    int32_t level;              /* level of detail that the source states; -1: none or unknown */
} StrobeMetadata;

typedef struct StrobeConsumerHost {
    uint32_t struct_size;
    uint32_t abi_minor;

    const StrobeMetadata *(*metadata)(StrobeInstance *self);

    /* Returns the bytes of a string, "" for 0 or an unknown id. Valid until close. */
    StrobeText (*string)(StrobeInstance *self, StrobeStringId id);
    /* Sets *frames to the frames of a stack, innermost first; returns their number. */
    size_t (*stack_frames)(StrobeInstance *self, StrobeStackId id, const StrobeStringId **frames);
    const StrobeTrackView *(*track)(StrobeInstance *self, StrobeTrackId id);
    uint32_t (*track_count)(StrobeInstance *self); /* ids are 1..count */

    /* Returns the storage to pass to record logs and external sorters (helpers/record-log.h,
     * external-sorter.h). */
    StrobeStorage *(*storage)(StrobeInstance *self);

    /* intern and stack return the id of a text or of a stack, for use in derived records. Ids
     * differ from run to run, so the order of the output must not depend on them. */
    StrobeStringId (*intern)(StrobeInstance *self, const char *bytes, size_t length);
    StrobeStackId (*stack)(StrobeInstance *self, const StrobeStringId *frames, size_t n);

    /* Passes: emits one derived record of a declared kind (an index into the component's kinds)
     * and returns its zeroed fields, which must be filled before the next call. NULL: out of
     * space; the host then fails the pass. */
    void *(*emit)(StrobeInstance *self, uint32_t kind_index, StrobeTrackId track,
                  StrobeStringId name, int64_t begin_ns, int64_t end_ns);

    /* Returns the value of `key` in the capture's metadata as text (a number in decimal, any other
     * value as JSON), "" if there is no such key. Valid until close. */
    const char *(*metadata_value)(StrobeInstance *self, const char *key);

    int32_t (*option_bool)(StrobeInstance *self, const char *name);
    int64_t (*option_int)(StrobeInstance *self, const char *name);
    double (*option_double)(StrobeInstance *self, const char *name);
    const char *(*option_text)(StrobeInstance *self, const char *name);

    void (*log)(StrobeInstance *self, int32_t level, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
    StrobeStatus (*fail)(StrobeInstance *self, StrobeStatus status, const char *file, int32_t line,
                         const char *format, ...) __attribute__((format(printf, 5, 6)));

    /* Returns 1 if records of the track (`track` 0: of any track) were lost between begin_ns and
     * end_ns, otherwise 0. Before raw_end the losses are unknown, and the result is 1. */
    int32_t (*touches_gap)(StrobeInstance *self, StrobeTrackId track, int64_t begin_ns,
                           int64_t end_ns);
    /* Passes: adds STROBE_VIEW_* to the flags of the last emitted record. The host itself marks
     * a record as INCOMPLETE if it touches a gap on its own track. If a record sums up other tracks
     * or times, or has no track, the pass must mark it. */
    void (*flag)(StrobeInstance *self, uint32_t flags);
    /* end of base ABI 1.0 */
} StrobeConsumerHost;

typedef struct StrobeConsumerOps {
    uint32_t struct_size;
    uint32_t reserved;

    void (*probe)(uint32_t question, StrobeProbe *answer); /* optional */

    /* Required. Makes *state, which the host passes to the other calls. The host calls close if and
     * only if open succeeded. */
    StrobeStatus (*open)(const StrobeConsumerHost *host, StrobeInstance *self, void **state);

    /* Required. The host calls it with records of the wanted kinds, first raw records and then
     * derived records. */
    StrobeStatus (*batch)(void *state, const StrobeView *records, size_t n);

    /* Required. No more records follow. A pass must emit its remaining records; an exporter must
     * finish its files, sync them and rename them into place. If end is not called or fails, close
     * must discard partial output. */
    StrobeStatus (*end)(void *state);

    void (*close)(void *state); /* required */

    /* Optional. No more raw records follow, only derived records. */
    StrobeStatus (*raw_end)(void *state);
    /* end of base ABI 1.0 */
} StrobeConsumerOps;

/* These functions read a field of a record. `offset` comes from the kind's field table. */
static inline uint64_t strobe_view_u64(const StrobeView *view, uint32_t offset)
{
    uint64_t value;
    __builtin_memcpy(&value, (const char *)view->fields + offset, sizeof value);
    return value;
}

static inline int64_t strobe_view_i64(const StrobeView *view, uint32_t offset)
{
    return (int64_t)strobe_view_u64(view, offset);
}

static inline double strobe_view_f64(const StrobeView *view, uint32_t offset)
{
    double value;
    __builtin_memcpy(&value, (const char *)view->fields + offset, sizeof value);
    return value;
}

static inline uint32_t strobe_view_u32(const StrobeView *view, uint32_t offset)
{
    uint32_t value;
    __builtin_memcpy(&value, (const char *)view->fields + offset, sizeof value);
    return value;
}

static inline uint8_t strobe_view_u8(const StrobeView *view, uint32_t offset)
{
    return ((const uint8_t *)view->fields)[offset];
}

#if defined(__cplusplus)
}
#endif

#endif
