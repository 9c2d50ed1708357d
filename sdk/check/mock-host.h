/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host for unit tests of collectors: it calls one collector as Strobe does and keeps its
 * records.
 *
 * It implements all of StrobeHost, writes no file and needs only libc. It also checks the contract:
 * a reserve inside a reserve, a commit without a reserve, an unknown kind or option and similar
 * errors become complaints, and a test expects that there are none.
 *
 * One thread makes the life-cycle calls and reads the results; the collector may record from any
 * number of threads. Read the results while no thread records.
 */
#ifndef STROBE_CHECK_MOCK_HOST_H
#define STROBE_CHECK_MOCK_HOST_H

#include <strobe/collector.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_MOCK_API __attribute__((visibility("default")))

typedef struct StrobeMockHost StrobeMockHost;

/* A record as the collector emitted it; valid until the host is freed or cleared. */
typedef struct StrobeMockRecord {
    const StrobeKind *kind;
    const void *fields; /* the kind's struct */
    const char *name;   /* NUL-terminated at name_length; "" for no name */
    size_t name_length;
    uint64_t begin;
    uint64_t end;        /* equals begin for shapes without an end */
    uint64_t thread;     /* kernel id of the recording thread */
    StrobeTrackId track; /* 0: the thread's own */
    uint32_t size;       /* bytes of the fields */
    uint32_t flags;      /* STROBE_RECORD_OF_WINDOW or 0 */
} StrobeMockRecord;

/* Makes a host for the collector `component` of `plugin` (NULL: its only component). Returns NULL
 * if there is no such collector or no memory. */
STROBE_MOCK_API StrobeMockHost *strobe_mock_host_new(const StrobePlugin *plugin,
                                                     const char *component);
/* Like strobe_mock_host_new, for a plugin file, which is loaded as Strobe loads it. On failure
 * returns NULL and prints the reason to stderr. */
STROBE_MOCK_API StrobeMockHost *strobe_mock_host_load(const char *path, const char *component);
STROBE_MOCK_API void strobe_mock_host_free(StrobeMockHost *mock); /* closes an open collector */

/* Sets an option as a user would type it; call it before open. Returns 0, or -1 for an unknown name
 * or a wrong value. */
STROBE_MOCK_API int strobe_mock_host_option(StrobeMockHost *mock, const char *name,
                                            const char *value);
/* Sets the folder for StrobeHost.companion; without it, companion finds nothing. */
STROBE_MOCK_API void strobe_mock_host_companions(StrobeMockHost *mock, const char *folder);

/* Sets the result of StrobeHost.result_directory while the collector's window records; the default
 * is NULL. */
STROBE_MOCK_API void strobe_mock_host_result_directory(StrobeMockHost *mock, const char *folder);

/* Return the host table and the instance, for tests that call a part of a collector directly. */
STROBE_MOCK_API const StrobeHost *strobe_mock_host_table(const StrobeMockHost *mock);
STROBE_MOCK_API StrobeInstance *strobe_mock_host_instance(StrobeMockHost *mock);
/* Opens or shuts the gate without calling the collector. */
STROBE_MOCK_API void strobe_mock_host_gate(StrobeMockHost *mock, int open);

/* Make the collector's calls, with the gate as in Strobe: the gate is open from just before start
 * until stop has returned, and, for the calling thread only, during flush. A missing call returns
 * STROBE_OK. After a failed open or after close the calls below return STROBE_ERROR_STATE. */
STROBE_MOCK_API int strobe_mock_host_probe(StrobeMockHost *mock, uint32_t question,
                                           StrobeProbe *answer);
STROBE_MOCK_API StrobeStatus strobe_mock_host_open(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_warm(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_start(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_stop(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_flush(StrobeMockHost *mock, uint64_t timeout_ns);
STROBE_MOCK_API StrobeStatus strobe_mock_host_cool(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_sample(StrobeMockHost *mock);
STROBE_MOCK_API int64_t strobe_mock_host_sample_interval(StrobeMockHost *mock);
STROBE_MOCK_API StrobeStatus strobe_mock_host_close(StrobeMockHost *mock);

/* Return the number of records, and record number `index`. Records are ordered thread by thread;
 * the records of a thread are in the order of their commits. */
STROBE_MOCK_API size_t strobe_mock_host_n_records(StrobeMockHost *mock);
STROBE_MOCK_API const StrobeMockRecord *strobe_mock_host_record(StrobeMockHost *mock, size_t index);
STROBE_MOCK_API void strobe_mock_host_clear(StrobeMockHost *mock); /* removes all records */

/* Return the field `field` of a record: as an integer (0 if there is no such field), as a double,
 * or as text if it is a string field ("" if there is none). */
STROBE_MOCK_API int64_t strobe_mock_host_integer(const StrobeMockRecord *record, const char *field);
STROBE_MOCK_API double strobe_mock_host_double(const StrobeMockRecord *record, const char *field);
STROBE_MOCK_API const char *
strobe_mock_host_text(StrobeMockHost *mock, const StrobeMockRecord *record, const char *field);

STROBE_MOCK_API const char *strobe_mock_host_string(StrobeMockHost *mock, StrobeStringId id,
                                                    size_t *length);
STROBE_MOCK_API const StrobeTrack *strobe_mock_host_track(StrobeMockHost *mock, StrobeTrackId id);
STROBE_MOCK_API uint32_t strobe_mock_host_n_tracks(StrobeMockHost *mock);

/* Return the number of open spans, and the number of spans that the end of an outer span closed. */
STROBE_MOCK_API uint64_t strobe_mock_host_n_open(StrobeMockHost *mock);
STROBE_MOCK_API uint64_t strobe_mock_host_n_dropped(StrobeMockHost *mock);
/* Returns the number of losses that the collector reported. */
STROBE_MOCK_API uint64_t strobe_mock_host_n_lost(StrobeMockHost *mock, uint32_t cause);

/* Return texts with one line for each entry, "" if there are none: causes from fail, log lines, and
 * breaches of the contract. */
STROBE_MOCK_API const char *strobe_mock_host_errors(StrobeMockHost *mock);
STROBE_MOCK_API const char *strobe_mock_host_messages(StrobeMockHost *mock);
STROBE_MOCK_API const char *strobe_mock_host_complaints(StrobeMockHost *mock);

#if defined(__cplusplus)
}
#endif

#endif
