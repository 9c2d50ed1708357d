/* SPDX-License-Identifier: Apache-2.0 */
#include "recording-host.h"

#include "clock.h"
#include "recorder.h"
#include "thread-buffer.h"

StrobeTrackId strobe_host_track(StrobeInstance *self, const StrobeTrack *track)
{
    return strobe_recorder_track(track);
}

StrobeWriter *strobe_host_writer(StrobeInstance *self)
{
    return strobe_thread_buffer_writer();
}

StrobeStringId strobe_host_intern(StrobeWriter *writer, const char *bytes, size_t length)
{
    return strobe_thread_buffer_intern(writer, bytes, length, 0);
}

StrobeStackId strobe_host_stack(StrobeWriter *writer, const StrobeStringId *frames, size_t n)
{
    return strobe_thread_buffer_intern(writer, frames, n * sizeof *frames, 1);
}

StrobeTicks strobe_host_now(void)
{
    return strobe_clock_now();
}

void strobe_host_lost(StrobeInstance *self, uint32_t cause, uint64_t count)
{
    strobe_recorder_lost(cause, count);
}
