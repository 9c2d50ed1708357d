/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source: the simulated records of one thread in one window.
 *
 * The records of a source, except for times and link ids, depend only on the seed, the window's
 * number and the source's own number.
 */
#ifndef STROBE_PLUGINS_FAKE_SOURCE_H
#define STROBE_PLUGINS_FAKE_SOURCE_H

#include <strobe/collector.h>

enum {
    FAKE_STEP,
    FAKE_CPU_OP,
    FAKE_GC,
    FAKE_MARKER,
    FAKE_MARKER_INSTANT,
    FAKE_COUNTER,
    FAKE_HOST_CPU,
    FAKE_HOST_MEM,
    FAKE_METADATA,
    FAKE_LOSS,
    FAKE_COLLECTOR_CALL,
    FAKE_DIAGNOSTIC,
    FAKE_PULSE,
    FAKE_BLOCK,
    FAKE_PAIR,
    FAKE_N_KINDS
};

/* Settings that all sources share; constant while a window records. */
typedef struct FakeSettings {
    const StrobeHost *host;
    StrobeInstance *self;
    StrobeKindId kinds[FAKE_N_KINDS];
    uint32_t extra_offset; /* offset of the field fake.extra in the extended cpu_op */
    StrobeTrackId track;   /* 0: each record is on the track of its thread */
    uint32_t clock;        /* clock of the track, STROBE_CLOCK_* */
    int64_t seed;
    int64_t depth;
    int64_t interval_ns;
    int is_hostile, is_all, is_bulk;
} FakeSettings;

typedef struct FakeSource {
    const FakeSettings *settings;
    uint64_t window;
    /* number of the source: 0 is the control thread; then come the threads, then flush */
    uint64_t number;
    int64_t n_records;
    /* number of spans that begin at the end and never end */
    int64_t n_unfinished;
    uint64_t begin, end;            /* times of all records, in the track's clock; 0: now */
    const _Atomic int *is_stopping; /* if set, the source makes no more pauses; may be NULL */
} FakeSource;

/* Emits all records of the source in the calling thread. */
void fake_source_run(const FakeSource *source);

/* Returns the value of the field `check` in record `number` (from 0). */
uint64_t fake_check(int64_t seed, uint64_t window, uint64_t source, uint64_t number);

/* Returns the current time of a clock, STROBE_CLOCK_*. */
uint64_t fake_clock_now(const StrobeHost *host, uint32_t clock);

#endif
