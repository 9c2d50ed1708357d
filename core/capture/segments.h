/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files of a capture. Most captures are one file, capture.strobe; one that was rotated has
 * earlier segments beside it, capture.00001.strobe, capture.00002.strobe ..., each a capture by
 * itself. Older ones may have been removed.
 */
#ifndef STROBE_CORE_SEGMENTS_H
#define STROBE_CORE_SEGMENTS_H

#include <glib.h>
#include "capture-format.h"

#define STROBE_FRAMEWORK_DIR "FRAMEWORK"
#define STROBE_SEGMENT_NUMBER_MAX 999999999u

/* Base name of the segment that was the `number`th, from 1, to be put aside (free it). */
char *strobe_segment_name(guint32 number);
/* Its number; STROBE_SEGMENT_NUMBER_MAX + 1 for the newest (capture.strobe), 0 if the base name is
 * no segment's. */
guint32 strobe_segment_number(const char *name);

/* The folder in which `directory`, a result directory or a folder of segments, has its segments;
 * NULL if it has none (free it). */
char *strobe_segments_folder(const char *directory);
/* Base names in such a folder, oldest first; NULL-terminated (g_strfreev). */
char **strobe_segments_list(const char *folder);

/* Segments that are being read. */
typedef struct StrobeSegments StrobeSegments;

/* `path` is one capture file, or a directory as strobe_segments_folder takes. */
StrobeSegments *strobe_segments_open(const char *path, GError **error);
void strobe_segments_free(StrobeSegments *segments);

guint strobe_segments_count(const StrobeSegments *segments);
/* Base name and bytes of a segment, oldest first. */
const char *strobe_segments_name(const StrobeSegments *segments, guint index);
guint64 strobe_segments_size(const StrobeSegments *segments, guint index);
/* Descriptor of the file of what others recorded in this window (STROBE_EXTERNAL_NAME), -1: there
 * is none, or a file and no folder was named; owned by the segments. */
int strobe_segments_external(const StrobeSegments *segments, guint64 *size);
/* Descriptor of a segment, valid until the next call; -1 if it has been removed since or cannot be
 * read. */
int strobe_segments_descriptor(StrobeSegments *segments, guint index, GError **error);

#endif
