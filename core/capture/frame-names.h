/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Call paths of C and C++ programs name functions as the linker does. Whoever reads a capture is
 * given the frames as they are written in C++; captures keep what was recorded.
 */
#ifndef STROBE_CORE_FRAME_NAMES_H
#define STROBE_CORE_FRAME_NAMES_H

#include "string-table.h"

typedef struct StrobeFrameNames StrobeFrameNames;

/* Names the frames of all stacks that the table holds now. The table must outlive it. */
StrobeFrameNames *strobe_frame_names_new(StrobeStringTable *table);
void strobe_frame_names_free(StrobeFrameNames *names);

/* The frame to tell instead of this one, which may be this one; for stacks that come later. */
StrobeStringId strobe_frame_names_of(StrobeFrameNames *names, StrobeStringId frame);

/* "_Z4takev (program)" as "take() (program)": what is behind the first blank stays. NULL: it is no
 * name of C++, none that can be taken apart, one whose text would be endless, or this Strobe was
 * built without libiberty. To be freed. */
char *strobe_frame_name(StrobeText frame);

#endif
