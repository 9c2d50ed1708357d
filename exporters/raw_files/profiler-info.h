/* SPDX-License-Identifier: Apache-2.0 */
/* profiler_info.json of the raw files: what was recorded, and the clock of the raw times. */
#ifndef STROBE_EXPORTERS_PROFILER_INFO_H
#define STROBE_EXPORTERS_PROFILER_INFO_H

#include <glib.h>
#include <strobe/exporter.h>

/* The time since the epoch minus CLOCK_MONOTONIC_RAW, as the recording began; 0: unknown, raw times
 * are times since the epoch. */
gint64 profiler_info_clock_offset(const StrobeConsumerHost *host, StrobeInstance *self);

/* A raw time. Times of a damaged capture may wrap around. */
gint64 profiler_info_raw_time(gint64 ns, gint64 clock_offset_ns);

/* Writes the file into the output folder; an errno value. */
int profiler_info_write(const StrobeConsumerHost *host, StrobeInstance *self);

#endif
