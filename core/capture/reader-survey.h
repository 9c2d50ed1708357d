/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first walk over the pieces of a capture: its definitions, clock and window, and what is
 * damaged. Keeps nothing for a block of records.
 */
#ifndef STROBE_CORE_READER_SURVEY_H
#define STROBE_CORE_READER_SURVEY_H

#include <json-glib/json-glib.h>
#include "block-order.h"
#include "device-clocks.h"
#include "pieces.h"
#include "reader-stats.h"
#include "record-decoder.h"

/* What there is to know about a piece. */
typedef struct StrobeSurveyPiece {
    guint64 number;                        /* in the capture, from 0 */
    StrobeClockPair first_pair, seal_pair; /* of the blocks of facts and seal */
    gboolean has_facts, is_sealed;
    gboolean is_left_out; /* removed meanwhile, or of another capture */
    struct strobe_stored_seal seal;
} StrobeSurveyPiece;

typedef struct StrobeSurvey {
    StrobePieces *files;
    StrobeSurveyPiece *pieces; /* one a file */
    StrobeBlockOrder *order;
    StrobeClockMap *clock;
    StrobeDeviceClocks *devices;
    gint64 last_ns; /* CLOCK_MONOTONIC of the newest block */
    StrobeStringTable *strings;
    StrobeDefinitions *definitions;
    StrobeWindowEdges edges;
    JsonObject *facts; /* of the first piece that has them; "foreign": what others recorded */
    gboolean has_foreign;
    StrobeReaderStats stats;
    GPtrArray *damage; /* texts */

    /* While it goes on. */
    guint current;
    StrobeBlockCursor cursor;
    char *buffer;
    gsize buffer_bytes;
    gboolean has_facts;
    char *pool_id; /* with the window: which capture the pieces must be of; NULL: any */
    guint32 window;
} StrobeSurvey;

/* `path` as strobe_reader_open takes it; with what others recorded, or without. */
StrobeSurvey *strobe_survey_new(const char *path, gboolean takes_foreign, GError **error);
void strobe_survey_free(StrobeSurvey *survey);

/* Counts damage in a piece; nothing was skipped where `from` is `to`. */
void strobe_survey_note_damage(StrobeSurvey *survey, guint piece, guint64 from, guint64 to,
                               const char *reason);
/* Counts as damage that records there name strings that nothing defines; they are not skipped. */
void strobe_survey_note_undefined(StrobeSurvey *survey, guint piece, guint64 from, guint64 to);
/* The same for a block cursor, whose user is the survey; of the piece under way. */
void strobe_survey_on_damage(void *survey, guint64 from, guint64 to, const char *reason);
/* Reads a block into the survey's buffer; FALSE, and damage, if its checksum is wrong. */
gboolean strobe_survey_read(StrobeSurvey *survey, const StrobeBlockPlace *place);
/* Takes kinds, tracks or strings from a block that has been read. */
void strobe_survey_take_names(StrobeSurvey *survey, const StrobeBlockPlace *place);
/* Walks over what others recorded, when the pieces are done. Its ids lie behind theirs, so that all
 * share the tables; its blocks have no clock. */
void strobe_survey_foreign(StrobeSurvey *survey);

/* Leaves a piece out as a whole. */
void strobe_survey_leave_out(StrobeSurvey *survey, guint piece, const char *reason);

#endif
