/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds and tracks of a capture in the reader's form. */
#ifndef STROBE_CORE_READER_DEFINITIONS_H
#define STROBE_CORE_READER_DEFINITIONS_H

#include <glib.h>
#include <strobe/exporter.h>
#include "string-table.h"

/* Roles of kinds that the core itself records. The reader keeps records of such kinds even if they
 * are outside of the window. */
enum { STROBE_ROLE_NONE, STROBE_ROLE_CORE, STROBE_ROLE_LOSS, STROBE_ROLE_CLOCK };

#define STROBE_FIELD_NONE G_MAXUINT32 /* offset of a field that the kind does not have */

typedef struct StrobeReaderKind {
    StrobeKindView view;
    guint32 has_end;
    guint32 field_words;
    guint32 role;
    guint32 n_string_fields;
    /* offsets of the fields of type string or stack */
    guint32 string_offsets[STROBE_KIND_FIELDS_MAX];
    guint32 n_track_fields;
    guint32 track_offsets[STROBE_KIND_FIELDS_MAX];
    guint32 clock_offsets[3]; /* for STROBE_ROLE_CLOCK: device_time, host_time, width_ns */
} StrobeReaderKind;

typedef struct StrobeReaderTrack {
    StrobeTrackView view;
    guint32 clock;        /* STROBE_CLOCK_* */
    guint32 clock_id;     /* with STROBE_CLOCK_OF_TRACK: the clock's track, as captured; 0: the
                           * track itself */
    guint32 clock_number; /* number of its device clock, from 1; 0: none, or not known yet */
    guint32 name, group;  /* string ids */
    guint32 captured_id;  /* id in the capture's files */
} StrobeReaderTrack;

typedef struct StrobeDefinitions StrobeDefinitions;

/* Maximum number of tracks. Records of further tracks have no track. */
#define STROBE_READER_TRACKS_MAX (2u << 20)

StrobeDefinitions *strobe_definitions_new(void);
void strobe_definitions_free(StrobeDefinitions *definitions);

/* Adds the kinds in the payload of a block; ignores invalid definitions. */
void strobe_definitions_take_kinds(StrobeDefinitions *definitions, const char *bytes, guint32 n);
/* Adds the tracks in the payload of a block. FALSE if some were ignored, because there are more
 * than STROBE_READER_TRACKS_MAX. */
gboolean strobe_definitions_take_tracks(StrobeDefinitions *definitions, const char *bytes,
                                        guint32 n);
/* Sets the names of the tracks; call it when all strings are known. */
void strobe_definitions_finish(StrobeDefinitions *definitions, const StrobeStringTable *strings);

const StrobeReaderKind *strobe_definitions_kind(const StrobeDefinitions *definitions, guint32 id);
const StrobeReaderKind *strobe_definitions_kind_at(const StrobeDefinitions *definitions,
                                                   guint32 index);
guint32 strobe_definitions_n_kinds(const StrobeDefinitions *definitions);
/* Returns the track with this number. Captured ids grow as long as the program runs; the reader
 * numbers tracks from 1 without gaps, in order of definition. */
const StrobeReaderTrack *strobe_definitions_track(const StrobeDefinitions *definitions, guint32 id);
guint32 strobe_definitions_n_tracks(const StrobeDefinitions *definitions);
/* Returns the number of the track with this captured id, 0 if it is undefined. */
guint32 strobe_definitions_track_of(const StrobeDefinitions *definitions, guint32 captured_id);

/* Does any of the tracks that were added so far have a clock other than the host's? */
gboolean strobe_definitions_have_clocks(const StrobeDefinitions *definitions);
/* Returns the number of the track whose clock a track uses (STROBE_CLOCK_OF_TRACK), possibly the
 * track itself. 0: the track has another type of clock, or the clock's track is undefined. */
guint32 strobe_definitions_clock_track(const StrobeDefinitions *definitions, guint32 id);
/* Sets the clock of a track. `view` must stay valid. */
void strobe_definitions_set_clock(StrobeDefinitions *definitions, guint32 id, guint32 number,
                                  const StrobeClockView *view);

/* Computes offsets and the other members from the types in view.fields; also used for derived
 * kinds. FALSE if a type is unknown. The caller owns `fields`. */
gboolean strobe_reader_kind_lay_out(StrobeReaderKind *kind, StrobeFieldView *fields);

#endif
