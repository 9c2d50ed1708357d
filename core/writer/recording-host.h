/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a collector's host that need only the recorder, not the collector's instance.
 * strobe/collector.h describes them. libc only. */
#ifndef STROBE_CORE_RECORDING_HOST_H
#define STROBE_CORE_RECORDING_HOST_H

#include <strobe/collector.h>

StrobeTrackId strobe_host_track(StrobeInstance *self, const StrobeTrack *track);
StrobeWriter *strobe_host_writer(StrobeInstance *self);
StrobeStringId strobe_host_intern(StrobeWriter *writer, const char *bytes, size_t length);
StrobeStackId strobe_host_stack(StrobeWriter *writer, const StrobeStringId *frames, size_t n);
StrobeTicks strobe_host_now(void);
void strobe_host_lost(StrobeInstance *self, uint32_t cause, uint64_t count);

#endif
