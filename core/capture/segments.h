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

/* Base name of earlier segment `number`, counted from 1 (free it). */
char *strobe_segment_name(guint32 number);
/* Number of the segment with this base name; STROBE_SEGMENT_NUMBER_MAX + 1 for the newest
 * (capture.strobe), 0 if `name` is not the name of a segment. */
guint32 strobe_segment_number(const char *name);

/* The folder with the segments of `directory`, a result directory or a folder of segments; NULL if
 * the directory has no segments (free it). */
char *strobe_segments_folder(const char *directory);
/* Base names of the segments in a folder, oldest first; NULL-terminated (g_strfreev). */
char **strobe_segments_list(const char *folder);

/* The segments of one capture, opened for reading. */
typedef struct StrobeSegments StrobeSegments;

/* `path` is a capture file, or a directory as in strobe_segments_folder. */
StrobeSegments *strobe_segments_open(const char *path, GError **error);
void strobe_segments_free(StrobeSegments *segments);

guint strobe_segments_count(const StrobeSegments *segments);
/* Base name and bytes of a segment, oldest first. */
const char *strobe_segments_name(const StrobeSegments *segments, guint index);
guint64 strobe_segments_size(const StrobeSegments *segments, guint index);
/* Descriptor of the window's external data (STROBE_EXTERNAL_NAME), owned by the segments; -1: there
 * is none, or `path` was a file. */
int strobe_segments_external(const StrobeSegments *segments, guint64 *size);
/* Descriptor of a segment, valid until the next call; -1 if the segment was removed meanwhile or
 * cannot be read. */
int strobe_segments_descriptor(StrobeSegments *segments, guint index, GError **error);

#endif
