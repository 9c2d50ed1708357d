/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiler_info.json of the raw files, which describes the recording and the clock of the
 * raw times. */
#ifndef STROBE_EXPORTERS_PROFILER_INFO_H
#define STROBE_EXPORTERS_PROFILER_INFO_H

#include <glib.h>
#include <strobe/exporter.h>

/* Returns the time since the epoch minus CLOCK_MONOTONIC_RAW when the recording began; 0: unknown,
 * so raw times are times since the epoch. */
gint64 profiler_info_clock_offset(const StrobeConsumerHost *host, StrobeInstance *self);

/* Converts a time since the epoch to a raw time. If a damaged capture has a very large time, the
 * result may wrap around. */
gint64 profiler_info_raw_time(gint64 ns, gint64 clock_offset_ns);

/* Writes the file into the output folder. Returns 0 or an errno value. */
int profiler_info_write(const StrobeConsumerHost *host, StrobeInstance *self);

#endif
