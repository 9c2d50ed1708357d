/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a capture. Most captures are one file, capture.strobe. A capture that was rotated
 * also has earlier segments, capture.00001.strobe, capture.00002.strobe ..., each of which is a
 * complete capture. The oldest segments may have been removed.
 */
#ifndef STROBE_CORE_SEGMENTS_H
#define STROBE_CORE_SEGMENTS_H

#include <glib.h>
#include "capture-format.h"

#define STROBE_FRAMEWORK_DIR "FRAMEWORK"
#define STROBE_SEGMENT_NUMBER_MAX 999999999u

/* Returns the base name of earlier segment `number`, counted from 1 (free it). */
char *strobe_segment_name(guint32 number);
/* Returns the number of the segment with this base name; STROBE_SEGMENT_NUMBER_MAX + 1 for the
 * newest (capture.strobe), 0 if `name` is not the name of a segment. */
guint32 strobe_segment_number(const char *name);

/* Returns the folder with the segments of `directory`, a result directory or a folder of segments;
 * NULL if the directory has no segments (free it). */
char *strobe_segments_folder(const char *directory);
/* Returns the base names of the segments in a folder, oldest first; NULL-terminated
 * (g_strfreev). */
char **strobe_segments_list(const char *folder);

/* The segments of one capture, opened for reading. */
typedef struct StrobeSegments StrobeSegments;

/* Opens the segments at `path`, a capture file or a directory as in strobe_segments_folder. */
StrobeSegments *strobe_segments_open(const char *path, GError **error);
void strobe_segments_free(StrobeSegments *segments);

guint strobe_segments_count(const StrobeSegments *segments);
/* Return the base name and the size in bytes of segment number `index`; the oldest segment has
 * index 0. */
const char *strobe_segments_name(const StrobeSegments *segments, guint index);
guint64 strobe_segments_size(const StrobeSegments *segments, guint index);
/* Returns the descriptor of the window's external data (STROBE_EXTERNAL_NAME), owned by the
 * segments; -1: there is none, or `path` was a file. */
int strobe_segments_external(const StrobeSegments *segments, guint64 *size);
/* Returns the descriptor of a segment, valid until the next call; -1 if the segment was removed
 * meanwhile or cannot be read. */
int strobe_segments_descriptor(StrobeSegments *segments, guint index, GError **error);

#endif
