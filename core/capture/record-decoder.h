/* SPDX-License-Identifier: Apache-2.0 */
/* Decodes the words of a stored record to a view: kind, track, times and strings. */
#ifndef STROBE_CORE_RECORD_DECODER_H
#define STROBE_CORE_RECORD_DECODER_H

#include "inline-strings.h"
#include "shared-block.h"
#include "clock-map.h"
#include "device-clocks.h"
#include "reader-definitions.h"

/* Limits of the window; times since the epoch. */
typedef struct StrobeWindowEdges {
    gint64 begin_ns, end_ns;
    gboolean cuts_begin, cuts_end; /* records before begin or after end belong to other windows */
    gboolean is_first;             /* first window of its session: nothing was recorded before it */
    gboolean is_only;              /* first window of its session, and no window follows */
    gboolean is_end_reported;      /* FALSE: recovery computed the end from the last records on
                                      the host clock; records on other clocks may be later */
} StrobeWindowEdges;

typedef struct StrobeRecordDecoder StrobeRecordDecoder;

/* Makes a decoder of records. All arguments must outlive the decoder. */
StrobeRecordDecoder *strobe_record_decoder_new(const StrobeDefinitions *definitions,
                                               StrobeClockMap *clock,
                                               const StrobeDeviceClocks *devices,
                                               StrobeInlineStrings *beside);
void strobe_record_decoder_free(StrobeRecordDecoder *decoder);
/* Says that the next records were stored before this time of CLOCK_MONOTONIC. */
void strobe_record_decoder_stored(StrobeRecordDecoder *decoder, gint64 monotonic_ns);
void strobe_record_decoder_set_edges(StrobeRecordDecoder *decoder, const StrobeWindowEdges *edges);

/* Says that the next records are external: their times are ns since the epoch on all tracks, and
 * all of them belong to the window. */
void strobe_record_decoder_begin_external(StrobeRecordDecoder *decoder);

/* The records of one block, and the position of the decoder. */
typedef struct StrobeRecordBlock {
    StrobeBlockMemory *memory; /* ids of inline strings in it become ids of the string table */
    guint32 at, end;           /* multiples of 8 */
    guint32 track;             /* track of records without a track word */
    guint64 base;              /* base of short times */
} StrobeRecordBlock;

/* Fills at most `max` views, which point into the block; returns their number. Returns fewer
 * than `max` at the block's end, or at a record with an invalid length: then `at` is not `end`.
 * The views are valid as long as the block's memory. */
gsize strobe_record_decode(StrobeRecordDecoder *decoder, StrobeRecordBlock *block,
                           StrobeView *views, gsize max);

/* Numbers of decoded records so far. */
typedef struct StrobeDecodedCounts {
    guint64 n_unfinished;
    guint64 n_outside;        /* records outside of the window */
    guint64 n_device_outside; /* the part of n_outside that is on a device's clock */
    guint64 n_nameless;       /* records whose name is missing */
    guint64 n_undefined;      /* uses of strings that are stored nowhere */
    guint64 n_unsure;         /* STROBE_VIEW_CLOCK_UNSURE */
    guint64 n_loss_records;   /* loss records */
    guint64 lost[STROBE_LOSS_CAUSES];
} StrobeDecodedCounts;
const StrobeDecodedCounts *strobe_record_decoder_counts(const StrobeRecordDecoder *decoder);

#endif
