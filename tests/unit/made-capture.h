/* SPDX-License-Identifier: Apache-2.0 */
/* Makes captures block by block, without a recorder. Times are ns: counts equal CLOCK_MONOTONIC,
 * and CLOCK_REALTIME is MADE_EPOCH_NS ahead. */
#ifndef STROBE_TESTS_MADE_CAPTURE_H
#define STROBE_TESTS_MADE_CAPTURE_H

#include <glib.h>
#include <stdio.h>
#include "capture-format.h"
#include "reader.h"

#define MADE_EPOCH_NS 1700000000000000000
#define MADE_BEGIN_NS 1000000000u /* length of the window */

#define MADE_TRACK 1u /* the track of thread buffer 0; thread buffer i has track 1 + i */
#define MADE_THREAD_BUFFERS 4u
#define MADE_STEPS_TRACK 5u
#define MADE_NAMES 1000u /* string ids from MADE_FIRST_NAME on are "operation_0" .. */
#define MADE_FIRST_NAME 100u

typedef struct MadeCapture {
    FILE *file;
    guint64 now_ns; /* pair in the headers of the next blocks */
    guint32 window;
} MadeCapture;

/* Makes a new file with metadata, kinds, tracks and names. `segment` is its number; `pool_id`
 * identifies the capture to which it belongs. */
MadeCapture *made_capture_begin(const char *path, guint64 segment, const char *pool_id);
void made_capture_block(MadeCapture *made, guint32 type, guint32 thread_buffer, guint64 sequence,
                        guint32 offset, const void *payload, gsize bytes);
/* `continued` is the member of the seal. */
void made_capture_seal(MadeCapture *made, guint64 end_ns, gboolean continued);
void made_capture_end(MadeCapture *made);

/* These functions write one record to `out` and return its number of words. */
guint made_marker(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);
/* An instant, with its name as an inline string before it. */
guint made_named(guint64 *out, guint64 time_ns, guint32 string, const char *name);
guint made_unfinished(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);

/* Writes a block with one marker of a thread buffer, `argument` ms after the window's begin. */
void made_capture_marker(MadeCapture *made, guint32 thread_buffer, guint64 sequence, guint32 offset,
                         guint64 argument);

/* Makes a whole capture with `n` records like those of a busy program: four threads with nested
 * operators under stacks, marks, and steps. */
void made_capture_load(const char *path, guint64 n);
/* Makes a whole capture with `n` instants, each with its own inline name. */
void made_capture_named(const char *path, guint32 n);

/* The content of the capture, which must be readable. */
StrobeReader *made_reader(const char *path);
/* The arguments of the markers in the order of the capture, such as "1 2 u3": the last one is
 * unfinished. `stats` may be NULL. */
char *made_arguments(const char *path, StrobeReaderStats *stats);
void made_assert_arguments(const char *path, const char *expected);

#endif
