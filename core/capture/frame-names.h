/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture contains frames of native code as they were recorded: addresses in an object, or
 * linkage names. The functions here replace them by function names with their object, file and
 * line, and with C++ names as in the source.
 */
#ifndef STROBE_CORE_FRAME_NAMES_H
#define STROBE_CORE_FRAME_NAMES_H

#include <json-glib/json-glib.h>
#include "string-table.h"

#define STROBE_MOVED_OBJECTS "moved_objects"

typedef struct StrobeFrameNames StrobeFrameNames;

/* Resolves the frames of all stacks that are in the table now. The table must outlive the result.
 * `metadata` is the metadata of the capture: its member STROBE_MOVED_OBJECTS says where files of
 * another machine are on this one (path there: path here). */
StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table, JsonObject *metadata);
void strobe_frame_names_free(StrobeFrameNames *names);

/* Appends to `frames` the frames that replace `frame`: several if functions are inlined at its
 * address, or `frame` itself if nothing replaces it. Only needed for stacks that were added to the
 * table after strobe_frame_names_new. */
void strobe_frame_names_append(StrobeFrameNames *names, StrobeStringId frame, GArray *frames);

/* Converts the C++ linkage name in a frame to the name in the source (free it): for example
 * "_Z4takev (program)" to "take() (program)". The text after the first blank stays. NULL: the frame
 * is not a C++ name, it cannot be decoded, its text would be too long, or this build lacks
 * libiberty. */
char *strobe_frame_name(StrobeText frame);

#endif
