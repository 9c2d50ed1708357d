/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gaps of a capture: the times in which records were lost, by track, as the loss records state
 * them. Memory is bounded: if there are too many gaps, neighbouring gaps are merged; no gap is
 * dropped. Only one thread at a time may use a StrobeGaps. libc only. Since 1.0.
 */
#ifndef STROBE_HELPERS_GAPS_H
#define STROBE_HELPERS_GAPS_H

#include <strobe/exporter.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define STROBE_GAPS_MAX 16384 /* maximum number of separate intervals */

typedef struct StrobeGaps StrobeGaps;

/* Makes an empty set of gaps. NULL: out of memory. The other calls accept NULL and treat every time
 * as a gap. */
StrobeGaps *strobe_gaps_new(void);
void strobe_gaps_free(StrobeGaps *gaps);

/* Adds a gap: records of `track` were lost in [begin_ns, end_ns). Track 0 means an unknown track,
 * so records of any track may be lost. */
void strobe_gaps_add(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns);

/* Adds the interval of a record of kind "loss"; ignores records of other kinds, and losses of texts
 * (STROBE_LOSS_STRING_CUT), because the records with these texts were kept. */
void strobe_gaps_add_record(StrobeGaps *gaps, const StrobeView *record);

/* Returns 1 if a gap of `track` (`track` 0: of any track) overlaps [begin_ns, end_ns), otherwise 0.
 * If begin_ns equals end_ns, 1 means that a gap contains this time. */
int strobe_gaps_touch(StrobeGaps *gaps, StrobeTrackId track, int64_t begin_ns, int64_t end_ns);

#if defined(__cplusplus)
}
#endif

#endif
