/* SPDX-License-Identifier: Apache-2.0 */
/* Makes captures block by block, without a recorder. Times are in ns: a count of the clock equals
 * CLOCK_MONOTONIC, and CLOCK_REALTIME is ahead by MADE_EPOCH_NS. */
#ifndef STROBE_TESTS_MADE_CAPTURE_H
#define STROBE_TESTS_MADE_CAPTURE_H

#include <glib.h>
#include <stdio.h>
#include "capture-format.h"
#include "reader.h"

#define MADE_EPOCH_NS 1700000000000000000
#define MADE_BEGIN_NS 1000000000u /* begin of the window, as a count of the clock */

#define MADE_TRACK 1u /* id of the track of thread buffer 0; that of thread buffer i is 1 + i */
#define MADE_THREAD_BUFFERS 4u
#define MADE_STEPS_TRACK 5u
/* number of the strings "operation_0", "operation_1" and so on, whose ids begin with
 * MADE_FIRST_NAME */
#define MADE_NAMES 1000u
#define MADE_FIRST_NAME 100u

typedef struct MadeCapture {
    FILE *file;
    guint64 now_ns; /* time of the clock pair in the headers of the next blocks */
    guint32 window;
} MadeCapture;

/* Makes a new file with metadata, kinds, tracks and names. `segment` is the number of the segment,
 * `pool_id` identifies the capture to which the segment belongs. */
MadeCapture *made_capture_begin(const char *path, guint64 segment, const char *pool_id);
void made_capture_block(MadeCapture *made, guint32 type, guint32 thread_buffer, guint64 sequence,
                        guint32 offset, const void *payload, gsize bytes);
/* Writes the seal. `continued` is the seal's member of this name. */
void made_capture_seal(MadeCapture *made, guint64 end_ns, gboolean continued);
void made_capture_end(MadeCapture *made);

/* These functions write one record to `out` and return its number of words. */
guint made_marker(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);
/* Writes an instant, and before it its name as an inline string. */
guint made_named(guint64 *out, guint64 time_ns, guint32 string, const char *name);
guint made_unfinished(guint64 *out, guint64 begin_ns, guint64 end_ns, guint64 argument);

/* Writes a block with one marker of a thread buffer, which begins `argument` ms after the
 * window. */
void made_capture_marker(MadeCapture *made, guint32 thread_buffer, guint64 sequence, guint32 offset,
                         guint64 argument);

/* Makes a whole capture with `n` records like those of a busy program with four threads: nested
 * operators with stacks, marks, and steps. */
void made_capture_load(const char *path, guint64 n);
/* Makes a whole capture with `n` instants, each with its own inline name. */
void made_capture_named(const char *path, guint32 n);

/* Returns a reader of the capture, which must be readable. */
StrobeReader *made_reader(const char *path);
/* Returns the arguments of the markers in the order of the capture, with "u" before that of an
 * unfinished one, for example "1 2 u3". `stats` may be NULL. */
char *made_arguments(const char *path, StrobeReaderStats *stats);
void made_assert_arguments(const char *path, const char *expected);

#endif
