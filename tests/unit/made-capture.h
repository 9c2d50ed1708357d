/* SPDX-License-Identifier: Apache-2.0 */
/* Captures made block by block, without a recorder. Times are ns: counts and CLOCK_MONOTONIC are
 * the same, CLOCK_REALTIME is MADE_EPOCH_NS ahead. */
#ifndef STROBE_TESTS_MADE_CAPTURE_H
#define STROBE_TESTS_MADE_CAPTURE_H

#include <glib.h>
#include <stdio.h>
#include "capture-format.h"
#include "reader.h"

#define MADE_EPOCH_NS 1700000000000000000
#define MADE_BEGIN_NS 1000000000u /* of the window */

#define MADE_TRACK 1u /* the thread of thread buffer 0; thread buffer i has track 1 + i */
#define MADE_THREAD_BUFFERS 4u
#define MADE_STEPS_TRACK 5u
#define MADE_NAMES 1000u /* string ids MADE_FIRST_NAME.. are "operation_0" .. */
#define MADE_FIRST_NAME 100u

typedef struct MadeCapture {
    FILE *file;
    guint64 now_ns; /* goes into the blocks' headers */
    guint32 window;
} MadeCapture;

/* A new file with facts, kinds, tracks and names. `segment` is its number, `pool_id` says which
 * capture it is of. */
MadeCapture *made_capture_begin(const char *path, guint64 segment, const char *pool_id);
void made_capture_block(MadeCapture *made, guint32 type, guint32 thread_buffer, guint64 sequence,
                        guint32 offset, const void *payload, gsize bytes);
/* `continued` as in the seal. */
void made_capture_seal(MadeCapture *made, guint64 end_ns, gboolean continued);
void made_capture_end(MadeCapture *made);

/* Put one record at `out` and return its words. */
guint made_marker(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);
/* An instant, before it its name as a string beside its record. */
guint made_named(guint64 *out, guint64 time_ns, guint32 string, const char *name);
guint made_unfinished(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);

/* One block with one marker of a thread buffer, `argument` ms after the window's begin. */
void made_capture_marker(MadeCapture *made, guint32 thread_buffer, guint64 sequence, guint32 offset,
                         guint64 argument);

/* A whole capture of `n` records as a busy program leaves them: four threads with nested operators
 * under stacks, marks, and steps. */
void made_capture_load(const char *path, guint64 n);
/* A whole capture of `n` instants, each with a name of its own written beside it. */
void made_capture_named(const char *path, guint32 n);

/* What is read of it, which must be possible. */
StrobeReader *made_reader(const char *path);
/* Arguments of the markers in the order in which they come, as "1 2 u3": the last is unfinished.
 * `stats` may be NULL. */
char *made_arguments(const char *path, StrobeReaderStats *stats);
void made_assert_arguments(const char *path, const char *expected);

#endif
