/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Captures keep frames of native code as they were recorded: as addresses in an object, or by the
 * linker's names. A reader is given functions with their object, file and line, named as they are
 * written in C++.
 */
#ifndef STROBE_CORE_FRAME_NAMES_H
#define STROBE_CORE_FRAME_NAMES_H

#include "string-table.h"

typedef struct StrobeFrameNames StrobeFrameNames;

/* Names the frames of all stacks that the table holds now. The table must outlive it. */
StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table);
void strobe_frame_names_free(StrobeFrameNames *names);

/* Appends the frames that stand for this one, which may be itself, for stacks that come later: an
 * address has more than one where functions are inlined. */
void strobe_frame_names_append(StrobeFrameNames *names, StrobeStringId frame, GArray *frames);

/* "_Z4takev (program)" as "take() (program)": what is behind the first blank stays. NULL: it is no
 * name of C++, none that can be taken apart, one whose text would be endless, or this Strobe was
 * built without libiberty. To be freed. */
char *strobe_frame_name(StrobeText frame);

#endif
