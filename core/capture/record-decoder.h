/* SPDX-License-Identifier: Apache-2.0 */
/* From the words of a stored record to a view: its kind, track, times and strings. */
#ifndef STROBE_CORE_RECORD_DECODER_H
#define STROBE_CORE_RECORD_DECODER_H

#include "inline-strings.h"
#include "block-memory.h"
#include "clock-map.h"
#include "device-clocks.h"
#include "reader-definitions.h"

/* What decides whether a record belongs to the window; times since the epoch. */
typedef struct StrobeWindowEdges {
    gint64 begin_ns, end_ns;
    gboolean cuts_begin, cuts_end; /* records before, behind are another window's */
    gboolean is_first;             /* of its session: nothing was recorded before it */
    gboolean is_only;              /* and nothing is behind it */
    gboolean is_end_reported;      /* FALSE: recovery took the end from the last records of the
                                      host's clock; records of other clocks may be later */
} StrobeWindowEdges;

typedef struct StrobeRecordDecoder StrobeRecordDecoder;

/* All of them must outlive the decoder. */
StrobeRecordDecoder *strobe_record_decoder_new(const StrobeDefinitions *definitions,
                                               StrobeClockMap *clock,
                                               const StrobeDeviceClocks *devices,
                                               StrobeInlineStrings *beside);
void strobe_record_decoder_free(StrobeRecordDecoder *decoder);
/* What is decoded next was recorded before this time of CLOCK_MONOTONIC. */
void strobe_record_decoder_stored(StrobeRecordDecoder *decoder, gint64 monotonic_ns);
void strobe_record_decoder_set_edges(StrobeRecordDecoder *decoder, const StrobeWindowEdges *edges);

/* What is decoded next is of others: all times are ns since the epoch, whatever the track's clock,
 * and nothing is cut at the window's edges. */
void strobe_record_decoder_begin_external(StrobeRecordDecoder *decoder);

/* The records of one block and how far they are decoded. */
typedef struct StrobeRecordBlock {
    StrobeBlockMemory *memory; /* strings in it are given the ids of the string table */
    guint32 at, end;           /* multiples of 8 */
    guint32 track;             /* of records that name none */
    guint64 base;              /* of short times */
} StrobeRecordBlock;

/* Fills at most `max` views, which point into the block; returns their number. Fewer than `max` at
 * the block's end, or where a record has a bad length: then `at` is not `end`. The views are valid
 * as long as the block's memory. */
gsize strobe_record_decode(StrobeRecordDecoder *decoder, StrobeRecordBlock *block,
                           StrobeView *views, gsize max);

/* What was seen so far. */
typedef struct StrobeDecodedCounts {
    guint64 n_unfinished;
    guint64 n_outside;        /* of the window */
    guint64 n_device_outside; /* of these, those of a device's clock */
    guint64 n_nameless;       /* whose name is not there */
    guint64 n_undefined;      /* strings that are named, and stored nowhere */
    guint64 n_unsure;         /* STROBE_VIEW_CLOCK_UNSURE */
    guint64 n_loss_records;   /* that tell of losses */
    guint64 lost[STROBE_LOSS_CAUSES];
} StrobeDecodedCounts;
const StrobeDecodedCounts *strobe_record_decoder_counts(const StrobeRecordDecoder *decoder);

#endif
