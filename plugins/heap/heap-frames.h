/* SPDX-License-Identifier: Apache-2.0 */
/* Call paths of the calling thread, as ids of texts. */
#ifndef STROBE_PLUGINS_HEAP_FRAMES_H
#define STROBE_PLUGINS_HEAP_FRAMES_H

#include <strobe/collector.h>

#define HEAP_DEPTH_MAX 128

/* Makes room for the names of functions, and has the unwinder loaded. Once per process; 0: there is
 * no memory. Control thread. */
int heap_frames_prepare(void);

/* The call path of at most `depth` frames to `caller`, a return address of the calling thread; 0 if
 * it cannot be told. Any thread. */
StrobeStackId heap_frames_take(const StrobeHost *host, StrobeWriter *writer, uint32_t depth,
                               const void *caller);

/* The call path of which only its innermost frame is known, a return address. Any thread. */
StrobeStackId heap_frames_of(const StrobeHost *host, StrobeWriter *writer, const void *caller);

#endif
