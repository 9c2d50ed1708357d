/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where records are missing: the times of loss records, by track, in bounded memory. What does not
 * fit is told less exactly: neighbouring gaps grow together, never is one forgotten. libc only.
 * One thread. Since 1.0.
 */
#ifndef STROBE_HELPERS_GAPS_H
#define STROBE_HELPERS_GAPS_H

#include <strobe/exporter.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_GAPS_MAX 16384 /* intervals that are told apart */

typedef struct StrobeGaps StrobeGaps;

/* NULL: out of memory. The other calls take it for gaps everywhere. */
StrobeGaps *strobe_gaps_new(void);
void strobe_gaps_free(StrobeGaps *gaps);

/* Records were lost in [begin, end); track 0: of no particular track, so of any. */
void strobe_gaps_add(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns);

/* The same from a record: one of kind "loss" that lost something is a gap, any other is none. A
 * text that was cut is none either: its record is there. */
void strobe_gaps_add_record(StrobeGaps *gaps, const StrobeView *record);

/* Whether anything of [begin, end) on the track is missing; track 0: on any track. An interval
 * without length is the moment `begin`. */
int strobe_gaps_touch(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns);

#if defined(__cplusplus)
}
#endif

#endif
