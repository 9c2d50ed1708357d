/* SPDX-License-Identifier: Apache-2.0 */
/* Internal declarations of the mock host. */
#ifndef STROBE_CHECK_MOCK_INTERNAL_H
#define STROBE_CHECK_MOCK_INTERNAL_H

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

#include "mock-host.h"

/* more than any real host allows, so that the mock never limits the depth */
#define SPANS_MAX 4096
#define BUCKETS 65536
/* maximum number of async spans that are open at once, on all threads together */
#define ASYNC_MAX 1024
#define KINDS_MAX 256

typedef struct MockString {
    struct MockString *next;
    StrobeStringId id;
    size_t length;
    char bytes[];
} MockString;

typedef struct MockSpan {
    uint64_t serial;
    uint64_t begin;
    uint64_t key; /* 0: the span is found by its token */
    StrobeKindId kind;
    StrobeStringId name;
} MockSpan;

/* A record in its thread buffer: this head, then the fields. */
typedef struct MockEntry {
    StrobeKindId kind;
    StrobeStringId name;
    StrobeTrackId track;
    uint32_t size;
    uint32_t flags;
    uint64_t begin, end;
    size_t offset; /* offset of the fields in the thread buffer's bytes */
} MockEntry;

/* The buffer of one thread; only that thread writes it. */
struct StrobeWriter {
    StrobeMockHost *mock;
    StrobeWriter *next;
    uint64_t thread;
    MockEntry *entries;
    size_t n_entries, entries_size;
    char *bytes;
    size_t used, size;
    size_t reserved; /* bytes that are reserved and not committed, 0: none */
    MockEntry pending;
    int bulk;
    uint32_t n_bulk; /* number of records that the caller of reserve_bulk has announced */
    uint64_t span_serial, n_dropped;
    uint32_t depth;
    MockSpan spans[SPANS_MAX];
};

struct StrobeInstance {
    StrobeMockHost *mock;
};

typedef struct MockText {
    char *bytes;
    size_t length;
} MockText;

enum { STATE_NEW, STATE_OPEN, STATE_RUNNING, STATE_CLOSED };

struct StrobeMockHost {
    StrobeHost table;
    StrobeInstance instance;
    const StrobeComponent *component;
    const StrobeCollectorOps *ops;
    uint64_t serial;
    void *state;
    int phase;
    _Atomic int gate;
    _Atomic uint64_t gate_thread; /* the only thread that may record, 0: all */
    _Atomic uint64_t next_link;
    _Atomic uint64_t lost[STROBE_LOSS_CAUSES];

    pthread_mutex_t lock; /* protects the following members */
    StrobeWriter *thread_buffers;
    const StrobeKind *kinds[KINDS_MAX];
    uint32_t kind_sizes[KINDS_MAX];
    uint32_t n_kinds;
    StrobeTrack *tracks;
    uint32_t n_tracks;
    uint32_t n_stacks;
    MockSpan async[ASYNC_MAX]; /* an entry with key 0 is free */
    uint64_t async_serial;
    MockString **strings;
    uint32_t n_strings;
    MockText errors, messages, complaints;

    _Atomic(MockString *) buckets[BUCKETS];
    char **values; /* values of the options */
    char *companions, *result_directory;
    StrobeMockRecord *gathered;
    size_t n_gathered;
    _Atomic int is_gathered;
};

/* Adds a complaint about a breach of the contract. */
void strobe_mock_complain(StrobeMockHost *mock, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the offset of field `index`, or the size of all fields for index == n_fields; UINT32_MAX
 * if a field has an unknown type. */
uint32_t strobe_mock_field_offset(const StrobeKind *kind, uint32_t index);

/* Is `text` a valid value of the option? */
int strobe_mock_option_accepts(const StrobeOption *option, const char *text);
/* Returns 1 for true, 0 for false, or -1 for a text that is not a boolean. */
int strobe_mock_parse_bool(const char *text);
/* Reads a number in the smallest unit of the option's type. Returns 0, or -1 for an invalid
 * text. */
int strobe_mock_parse_number(uint32_t type, const char *text, double *value);

/* Members of the host table for recording. */
StrobeStatus strobe_mock_kind(StrobeInstance *self, const StrobeKind *kind, StrobeKindId *id);
StrobeTrackId strobe_mock_track(StrobeInstance *self, const StrobeTrack *track);
StrobeStringId strobe_mock_intern(StrobeWriter *thread_buffer, const char *bytes, size_t length);
StrobeStackId strobe_mock_stack(StrobeWriter *thread_buffer, const StrobeStringId *frames,
                                size_t n);
StrobeTicks strobe_mock_now(void);
StrobeWriter *strobe_mock_writer(StrobeInstance *self);
void *strobe_mock_reserve(StrobeWriter *thread_buffer, StrobeKindId kind, StrobeTrackId track,
                          StrobeStringId name, uint64_t begin, uint64_t end);
void strobe_mock_commit(StrobeWriter *thread_buffer);
void *strobe_mock_reserve_bulk(StrobeWriter *thread_buffer, uint32_t bytes, uint32_t n_records);
StrobeSpan strobe_mock_span_begin(StrobeWriter *thread_buffer, StrobeKindId kind,
                                  StrobeStringId name, uint64_t argument);
void *strobe_mock_span_end(StrobeWriter *thread_buffer, StrobeSpan span);
uint32_t strobe_mock_span_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument);
StrobeClosed strobe_mock_span_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                    const void *fields, size_t size);
int32_t strobe_mock_async_open(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                               const char *name, uint64_t argument);
int32_t strobe_mock_async_close(StrobeInstance *self, uint64_t key, StrobeKindId kind,
                                const void *fields, size_t size);

#endif
