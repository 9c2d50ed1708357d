/* SPDX-License-Identifier: Apache-2.0 */
/* Reports how exact the times of a capture are, and at which times its clock jumped. */
#ifndef STROBE_TOOLS_CLOCK_REPORT_H
#define STROBE_TOOLS_CLOCK_REPORT_H

#include <strobe/helpers/json-writer.h>

#include "capture-contents.h"

/* Returns a text about the clock, for example "tsc 2.596 GHz, error <= 38 ns, suspended 0, jumps
 * 0". `metadata` may be NULL. Free it. */
char *strobe_clock_line(const StrobeReaderStats *stats, JsonObject *metadata);

/* Returns a text about one event, for example "the counter jumped ahead by 385 s between 12.3 s and
 * 13.3 s: ...". Its times are relative to the window's begin. Free it. */
char *strobe_clock_event_line(const StrobeClockEvent *event, const StrobeReaderStats *stats);

/* Writes the clock with its events as an object. */
void strobe_clock_write(StrobeJsonWriter *json, const StrobeReaderStats *stats,
                        JsonObject *metadata, const StrobeClockEvent *events, guint n);

/* Returns a text about the clock of a device, for example "stream 1 (GPU): 12 pairs, error <= 4.2
 * us, drift 13 ppm, jumps 0". Free it. */
char *strobe_device_clock_line(const StrobeDeviceClockEntry *entry);

/* Writes the clocks of devices (StrobeDeviceClockEntry) as an array. */
void strobe_device_clocks_write(StrobeJsonWriter *json, const GPtrArray *clocks);

#endif
