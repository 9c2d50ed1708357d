/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a collector's host that need only the recorder, not the collector's instance.
 * strobe/collector.h describes them. libc only. */
#ifndef STROBE_CORE_RECORDING_HOST_H
#define STROBE_CORE_RECORDING_HOST_H

#include <strobe/collector.h>

#include "async-span.h"
#include "thread-buffer.h"

StrobeTrackId strobe_host_track(StrobeInstance *self, const StrobeTrack *track);
StrobeWriter *strobe_host_writer(StrobeInstance *self);
StrobeStringId strobe_host_intern(StrobeWriter *writer, const char *bytes, size_t length);
StrobeStackId strobe_host_stack(StrobeWriter *writer, const StrobeStringId *frames, size_t n);
StrobeTicks strobe_host_now(void);
void strobe_host_lost(StrobeInstance *self, uint32_t cause, uint64_t count);

/* Initializers of the members of StrobeHost that call the recorder. */
#define STROBE_RECORDING_CALLS                                                                     \
    .track = strobe_host_track, .writer = strobe_host_writer, .intern = strobe_host_intern,        \
    .stack = strobe_host_stack, .reserve = strobe_thread_buffer_reserve,                           \
    .commit = strobe_thread_buffer_commit, .reserve_bulk = strobe_thread_buffer_reserve_bulk,      \
    .span_begin = strobe_thread_buffer_span_begin, .span_end = strobe_thread_buffer_span_end,      \
    .span_open = strobe_thread_buffer_span_open, .span_close = strobe_thread_buffer_span_close,    \
    .async_open = strobe_thread_buffer_async_open,                                                 \
    .async_close = strobe_thread_buffer_async_close, .now = strobe_host_now,                       \
    .lost = strobe_host_lost

#endif
