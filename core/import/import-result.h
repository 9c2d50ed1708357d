/* SPDX-License-Identifier: Apache-2.0 */
/* Input and result of an import. */
#ifndef STROBE_CORE_IMPORT_RESULT_H
#define STROBE_CORE_IMPORT_RESULT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include "component-request.h"
#include "pipeline.h"
#include "result.h"

/* Data about the recorded window to which a source belongs. */
typedef struct StrobeImportJoin {
    struct StrobeImportCapture *capture; /* a capture next to the recorded one */
    gint64 begin_ns;                     /* begin of the window */
    gint64 raw_offset;                   /* time of day minus CLOCK_MONOTONIC_RAW */
    gboolean has_raw_offset;             /* the recorder stored raw_offset */
} StrobeImportJoin;

typedef struct StrobeImportWish {
    const StrobeConfigComponent *options; /* options of the importer, NULL: defaults */
    gboolean stored_derived;
    gboolean is_temporary; /* the result is removed after it has been read */
    const char *parent;    /* parent of the result directory */
    const char *place;     /* path to which the complete result is moved; NULL: it is not moved */
    /* Moves the result to `place`, like renameat2() with RENAME_NOREPLACE: 0, or -1 with errno. */
    int (*move)(const char *from, const char *to);
    StrobeProgress progress;
    gpointer progress_user;
    const StrobeImportJoin *join; /* NULL: a separate result */
} StrobeImportWish;

/* A line of the list of an import's parts. */
typedef struct StrobeImportItem {
    char *part;
    char *name; /* name of an unknown part, or the reason of damage; NULL for a part that was
                 * read */
    guint64 n;  /* number of rows, or of occurrences */
} StrobeImportItem;

typedef struct StrobeImport {
    StrobeResult result;
    char *format;
    gint64 begin_ns;
    guint64 n_records;
    GPtrArray *kinds;   /* of StrobeImportItem, whose `part` is the name of the kind */
    GPtrArray *found;   /* of StrobeImportItem */
    GPtrArray *unknown; /* of StrobeImportItem, at most 1000 */
    GPtrArray *damage;  /* of StrobeImportItem, at most 1000 */
    guint64 n_damage;
    JsonObject *metadata;
    gint64 shift_ns; /* shift of a joined source's times to the recorder's clock */
} StrobeImport;

#endif
