/* SPDX-License-Identifier: Apache-2.0 */
/* Internal declarations of the files of an import's capture. */
#ifndef STROBE_CORE_IMPORT_CAPTURE_PARTS_H
#define STROBE_CORE_IMPORT_CAPTURE_PARTS_H

#include <glib.h>
#include <strobe/helpers/external-sorter.h>
#include "capture-format.h"
#include "string-table.h"

#define IMPORT_KINDS_MAX 256u

struct import_kind {
    StrobeKind *declaration; /* a copy: the importer's declaration is valid only during its run */
    guint64 *absent;         /* the initial values of the fields */
    guint32 words;           /* size of the fields in words */
    guint64 n;
    gboolean is_reported; /* records of this kind are dropped, because a better source has already
                             given records of it */
};

struct StrobeImportCapture {
    struct import_kind kinds[IMPORT_KINDS_MAX]; /* indexed by id */
    gboolean has_end[IMPORT_KINDS_MAX];         /* indexed by kind id: is it a span? */
    guint n_kinds;                              /* the highest id */
    guint n_taken_kinds;               /* ids up to this number belong to the recorded capture */
    GStringChunk *texts;               /* texts of the kinds */
    GArray *tracks;                    /* of struct strobe_stored_track */
    guint32 first_track, first_string; /* ids below these belong to the recorded capture */
    GHashTable *threads; /* struct thread -> id of the recorded capture; NULL: there is none */
    GHashTable *places;  /* stored track without its id -> id */
    StrobeStringTable *strings;
    guint32 n_strings; /* number of assigned ids, including 0 */
    StrobeStorage *storage;
    StrobeExternalSorter *sorter; /* sorts the records */
    gint64 begin, end, base;      /* `base` is added to times when records are written */
    gint64 shift;                 /* added to a record's times when it is added */
    guint64 n_records, n_refused, n_bent;
    GHashTable *reported; /* names of kinds, see strobe_import_capture_fill_in; NULL: none */
    guint64 *dropped;     /* buffer for the fields of a dropped record */
    GByteArray *block;
    gboolean is_temporary; /* the file need not survive a power cut */
};

/* Returns the next record in the order of ends, inner spans before outer spans. NULL at the end, or
 * with the error set. */
const guint64 *strobe_import_capture_next(StrobeImportCapture *capture, guint32 *words,
                                          GError **error);

#endif
