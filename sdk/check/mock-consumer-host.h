/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host for unit tests of passes and exporters. The test makes strings, stacks, tracks and kinds
 * and sends records; the host keeps the records that a pass emits. libc only; if memory runs out,
 * the test ends. One thread.
 */
#ifndef STROBE_CHECK_MOCK_CONSUMER_HOST_H
#define STROBE_CHECK_MOCK_CONSUMER_HOST_H

#include <strobe/helpers/storage.h>
#include <strobe/strobe-plugin.h>

#if defined(__cplusplus)
extern "C" {
#endif

/* The mock host, which is also the component's instance. */
typedef StrobeInstance StrobeMockHost;

/* Makes a host for `component`, which may be NULL if only strings and tracks are needed.
 * `directory` (lent) is the descriptor of the output folder; -1: none. */
StrobeMockHost *strobe_mock_new(const StrobeComponent *component, int directory);
void strobe_mock_free(StrobeMockHost *mock);

const StrobeConsumerHost *strobe_mock_table(StrobeMockHost *mock);
StrobeMetadata *strobe_mock_metadata(StrobeMockHost *mock); /* may be changed before the run */

/* Adds a metadata value of the capture, for StrobeConsumerHost.metadata_value. */
void strobe_mock_metadata_entry(StrobeMockHost *mock, const char *key, const char *value);

/* Sets an option as a user would type it; all other options have their declared defaults. */
void strobe_mock_option(StrobeMockHost *mock, const char *name, const char *value);

StrobeStringId strobe_mock_string(StrobeMockHost *mock, const char *text);
StrobeStringId strobe_mock_bytes(StrobeMockHost *mock, const char *bytes, size_t length);
/* Makes a stack of frames, innermost first, NULL-terminated. */
StrobeStackId strobe_mock_stack(StrobeMockHost *mock, const char *const *frames);
StrobeTrackId strobe_mock_track(StrobeMockHost *mock, uint32_t type, uint64_t number,
                                const char *name, const char *group, int32_t device);
/* Gives a track a separate clock (lent). */
void strobe_mock_clock(StrobeMockHost *mock, StrobeTrackId track, const StrobeClockView *clock);
/* Returns the view of a kind; equal calls return the same view. */
const StrobeKindView *strobe_mock_kind(StrobeMockHost *mock, const StrobeKind *kind);

/* Like strobe_mock_kind, for a kind whose records are derived, like those of a pass. */
const StrobeKindView *strobe_mock_derived_kind(StrobeMockHost *mock, const StrobeKind *kind);

/* Queues a record; `fields` is the kind's struct and is copied. */
StrobeView *strobe_mock_add(StrobeMockHost *mock, const StrobeKind *kind, StrobeTrackId track,
                            StrobeStringId name, int64_t begin_ns, int64_t end_ns,
                            const void *fields);

/* These functions make the component's calls. touches_gap knows the losses among the sent records.
 * Unlike Strobe, the mock does not mark derived records as INCOMPLETE. strobe_mock_send passes all
 * queued records as one batch and then overwrites their memory, so that a consumer that keeps a
 * pointer is detected. strobe_mock_run makes all calls, and also sends records that are queued
 * meanwhile; close is called if open succeeded. */
StrobeStatus strobe_mock_open(StrobeMockHost *mock);
StrobeStatus strobe_mock_send(StrobeMockHost *mock);
StrobeStatus strobe_mock_raw_end(StrobeMockHost *mock);
StrobeStatus strobe_mock_end(StrobeMockHost *mock);
void strobe_mock_close(StrobeMockHost *mock);
StrobeStatus strobe_mock_run(StrobeMockHost *mock);

/* Sets *views (`views` may be NULL) to the records that the pass has emitted, in order. Returns
 * their number. */
size_t strobe_mock_emitted(StrobeMockHost *mock, const StrobeView **views);
/* Return the text of the last fail call, "" if there was none, and the number of warnings and
 * errors logged. */
const char *strobe_mock_error(StrobeMockHost *mock);
unsigned strobe_mock_warnings(StrobeMockHost *mock);
/* Returns the string with this id, for comparisons; "" for 0. */
const char *strobe_mock_text(StrobeMockHost *mock, StrobeStringId id);

#if defined(__cplusplus)
}
#endif

#endif
