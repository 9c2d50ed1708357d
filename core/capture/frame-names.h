/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A capture contains frames of native code as they were recorded: addresses in an object, or
 * linkage names. The functions here replace them by function names with their object, file and
 * line, and with C++ names as in the source.
 */
#ifndef STROBE_CORE_FRAME_NAMES_H
#define STROBE_CORE_FRAME_NAMES_H

#include "string-table.h"

typedef struct StrobeFrameNames StrobeFrameNames;

/* Resolves the frames of all stacks that are in the table now. The table must outlive the
 * result. */
StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table);
void strobe_frame_names_free(StrobeFrameNames *names);

/* Appends the frames that replace this frame (possibly only itself). For stacks that were added to
 * the table later. An address has several frames if functions are inlined. */
void strobe_frame_names_append(StrobeFrameNames *names, StrobeStringId frame, GArray *frames);

/* Converts "_Z4takev (program)" to "take() (program)" (free it); the text after the first blank
 * stays. NULL: the frame is not a C++ name, it cannot be decoded, its text would be too long, or
 * this build lacks libiberty. */
char *strobe_frame_name(StrobeText frame);

#endif
