/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first walk over the segments of a capture: its definitions, clock and window, and what is
 * damaged. Keeps nothing for a block of records.
 */
#ifndef STROBE_CORE_READER_INDEX_PASS_H
#define STROBE_CORE_READER_INDEX_PASS_H

#include <json-glib/json-glib.h>
#include "block-order.h"
#include "device-clocks.h"
#include "segments.h"
#include "reader-stats.h"
#include "record-decoder.h"

/* What there is to know about a segment. */
typedef struct StrobeIndexPassSegment {
    guint64 number;                        /* in the capture, from 0 */
    StrobeClockPair first_pair, seal_pair; /* of the METADATA and SEAL blocks */
    gboolean has_metadata, is_sealed;
    gboolean is_left_out; /* removed meanwhile, or of another capture */
    struct strobe_stored_seal seal;
} StrobeIndexPassSegment;

typedef struct StrobeIndexPass {
    StrobeSegments *files;
    StrobeIndexPassSegment *segments; /* one a file */
    StrobeBlockOrder *order;
    StrobeClockMap *clock;
    StrobeDeviceClocks *devices;
    gint64 last_ns; /* CLOCK_MONOTONIC of the newest block */
    StrobeStringTable *strings;
    StrobeDefinitions *definitions;
    StrobeWindowEdges edges;
    JsonObject *metadata; /* of the first segment that has them; "external": what others recorded */
    gboolean has_external;
    StrobeReaderStats stats;
    GPtrArray *damage; /* texts */

    /* While it goes on. */
    guint current;
    StrobeBlockCursor cursor;
    char *buffer;
    gsize buffer_bytes;
    gboolean has_metadata;
    char *pool_id; /* with the window: which capture the segments must be of; NULL: any */
    guint32 window;
} StrobeIndexPass;

/* `path` as strobe_reader_open takes it; with what others recorded, or without. */
StrobeIndexPass *strobe_index_pass_new(const char *path, gboolean takes_external, GError **error);
void strobe_index_pass_free(StrobeIndexPass *index_pass);

/* Counts damage in a segment; nothing was skipped where `from` is `to`. */
void strobe_index_pass_note_damage(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                   guint64 to, const char *reason);
/* Counts as damage that records there name strings that nothing defines; they are not skipped. */
void strobe_index_pass_note_undefined(StrobeIndexPass *index_pass, guint segment, guint64 from,
                                      guint64 to);
/* The same for a block cursor, whose user is the index pass; of the segment under way. */
void strobe_index_pass_on_damage(void *index_pass, guint64 from, guint64 to, const char *reason);
/* Reads a block into the index pass's buffer; FALSE, and damage, if its checksum is wrong. */
gboolean strobe_index_pass_read(StrobeIndexPass *index_pass, const StrobeBlockPlace *place);
/* Takes kinds, tracks or strings from a block that has been read. */
void strobe_index_pass_take_names(StrobeIndexPass *index_pass, const StrobeBlockPlace *place);
/* Walks over what others recorded, when the segments are done. Its ids lie behind theirs, so that
 * all share the tables; its blocks have no clock. */
void strobe_index_pass_external(StrobeIndexPass *index_pass);

/* Leaves a segment out as a whole. */
void strobe_index_pass_leave_out(StrobeIndexPass *index_pass, guint segment, const char *reason);

#endif
