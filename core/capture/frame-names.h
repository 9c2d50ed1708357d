/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures keep frames of native code as recorded: as addresses in an object, or as linker
 * names. A reader gets functions with their object, file and line, and with C++ names as in the
 * source.
 */
#ifndef STROBE_CORE_FRAME_NAMES_H
#define STROBE_CORE_FRAME_NAMES_H

#include <json-glib/json-glib.h>
#include "string-table.h"

#define STROBE_MOVED_OBJECTS "moved_objects"

typedef struct StrobeFrameNames StrobeFrameNames;

/* Resolves the frames of all stacks that the table holds now. The table must outlive it.
 * `metadata` is the capture's: its member STROBE_MOVED_OBJECTS says where objects of another
 * machine lie on this one (path there: path here). */
StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table, JsonObject *metadata);
void strobe_frame_names_free(StrobeFrameNames *names);

/* Appends the frames that replace this frame (possibly itself), for stacks that come later. An
 * address has several frames if functions are inlined. */
void strobe_frame_names_append(StrobeFrameNames *names, StrobeStringId frame, GArray *frames);

/* "_Z4takev (program)" as "take() (program)"; the text after the first blank stays. NULL: it is
 * not a C++ name, it cannot be decoded, its text would be too long, or this build lacks
 * libiberty. Free it. */
char *strobe_frame_name(StrobeText frame);

#endif
