/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first walk over the segments of a capture: it collects definitions, clock, window and damage.
 * It keeps no data about single blocks of records.
 */
#ifndef STROBE_CORE_READER_INDEX_PASS_H
#define STROBE_CORE_READER_INDEX_PASS_H

#include <json-glib/json-glib.h>
#include "block-order.h"
#include "device-clocks.h"
#include "segments.h"
#include "reader-stats.h"
#include "record-decoder.h"

/* Data about a segment. */
typedef struct StrobeIndexPassSegment {
    guint64 number;                        /* number of the segment in the capture, from 0 */
    StrobeClockPair first_pair, seal_pair; /* pairs of the METADATA and SEAL blocks */
    gboolean has_metadata, is_sealed;
    gboolean is_left_out; /* the segment is not read: it was removed in the meantime, or is from
                             another capture */
    struct strobe_stored_seal seal;
} StrobeIndexPassSegment;

typedef struct StrobeIndexPass {
    StrobeSegments *files;
    StrobeIndexPassSegment *segments; /* one for each file of `files` */
    StrobeBlockOrder *order;
    StrobeClockMap *clock;
    StrobeDeviceClocks *devices;
    gint64 last_ns; /* CLOCK_MONOTONIC of the newest block */
    StrobeStringTable *strings;
    StrobeDefinitions *definitions;
    StrobeWindowEdges edges;
    JsonObject *metadata; /* metadata of the first segment that has them; their member "external"
                             describes external data */
    gboolean has_external;
    StrobeReaderStats stats;
    GPtrArray *damage; /* a text for each damaged place */

    /* State during the walk. */
    guint current;
    StrobeBlockCursor cursor;
    char *buffer;
    gsize buffer_bytes;
    gboolean has_metadata;
    char *pool_id; /* pool id of the capture to which the segments must belong; NULL: any capture */
    guint32 window;
} StrobeIndexPass;

/* Makes the index of the capture at `path`, which is as in strobe_reader_open; `takes_external`:
 * with its external data. */
StrobeIndexPass *strobe_index_pass_new(const char *path, gboolean takes_external, GError **error);
void strobe_index_pass_free(StrobeIndexPass *index_pass);

/* Counts damage in a segment; if `from` equals `to`, nothing was skipped. */
void strobe_index_pass_note_damage(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                   guint64 to, const char *reason);
/* Counts damage because records in this range use undefined strings; the records are not skipped.
 */
void strobe_index_pass_note_undefined(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                      guint64 to);
/* A StrobeDamageFunction for a block cursor whose `user` is the index pass; counts damage in the
 * current segment. */
void strobe_index_pass_on_damage(void *index_pass, guint64 from, guint64 to, const char *reason);
/* Reads a block into the index pass's buffer. FALSE if its checksum is wrong, which counts as
 * damage. */
gboolean strobe_index_pass_read(StrobeIndexPass *index_pass, const StrobeBlockPlace *place);
/* Takes kinds, tracks or strings from a block that was read. */
void strobe_index_pass_take_names(StrobeIndexPass *index_pass, const StrobeBlockPlace *place);
/* Indexes the external data, after the segments. Ids of the external data follow the ids of the
 * segments, so that both share the tables. Blocks of external data have no clock pairs. */
void strobe_index_pass_external(StrobeIndexPass *index_pass);

/* Excludes a whole segment and counts this as damage. */
void strobe_index_pass_leave_out(StrobeIndexPass *index_pass, guint segment, const char *reason);

#endif
