/* SPDX-License-Identifier: Apache-2.0 */
/* Records the call path of the calling thread as a stack. */
#ifndef STROBE_PLUGINS_HEAP_FRAMES_H
#define STROBE_PLUGINS_HEAP_FRAMES_H

#include <strobe/collector.h>

#define HEAP_DEPTH_MAX 128

/* Reserves memory for the names of functions, and loads the unwinder's library. Only the first call
 * in a process has an effect. Returns 0 if out of memory. Must be called on the control thread. */
int heap_frames_prepare(void);

/* Returns the call path that starts at `caller`, a return address of the calling thread, with at
 * most `depth` frames; 0 if it cannot be found. Any thread may call this function. */
StrobeStackId heap_frames_take(const StrobeHost *host, StrobeWriter *writer, uint32_t depth,
                               const void *caller);

/* Returns a call path that consists of only the frame `caller`, for callers that know only the
 * innermost return address. Any thread may call this function. */
StrobeStackId heap_frames_of(const StrobeHost *host, StrobeWriter *writer, const void *caller);

#endif
