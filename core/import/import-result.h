/* SPDX-License-Identifier: Apache-2.0 */
/* What an import is to do, and what it has made. */
#ifndef STROBE_CORE_IMPORT_RESULT_H
#define STROBE_CORE_IMPORT_RESULT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include "component-request.h"
#include "pipeline.h"
#include "result.h"

/* What was recorded in the window that a source belongs to. */
typedef struct StrobeImportJoin {
    struct StrobeImportCapture *capture; /* beside the recorded one */
    gint64 begin_ns;                     /* of the window */
    gint64 raw_offset;                   /* time of day less CLOCK_MONOTONIC_RAW; */
    gboolean has_raw_offset;             /* ... where the recorder has told it */
} StrobeImportJoin;

typedef struct StrobeImportWish {
    const StrobeConfigComponent *options; /* of the importer, NULL: defaults */
    gboolean stored_derived;
    gboolean is_temporary; /* the result is removed again when it has been read */
    const char *parent;    /* of the result directory to make */
    const char *place; /* where it is moved when it is whole, on the same disk; NULL: it stays */
    /* Moves it there, as renameat2() does with RENAME_NOREPLACE: 0, or -1 with errno. */
    int (*move)(const char *from, const char *to);
    StrobeProgress progress;
    gpointer progress_user;
    const StrobeImportJoin *join; /* NULL: a result of its own */
} StrobeImportWish;

/* A line of the listing. */
typedef struct StrobeImportItem {
    char *part;
    char *name; /* what is unknown, or the reason of damage; NULL for what was found */
    guint64 n;  /* rows, or how often */
} StrobeImportItem;

typedef struct StrobeImport {
    StrobeResult result;
    char *format;
    gint64 begin_ns;
    guint64 n_records;
    GPtrArray *kinds;   /* of StrobeImportItem: part is the kind */
    GPtrArray *found;   /* of StrobeImportItem */
    GPtrArray *unknown; /* of StrobeImportItem, at most 1000 */
    GPtrArray *damage;  /* of StrobeImportItem, at most 1000 */
    guint64 n_damage;
    JsonObject *metadata;
    gint64 shift_ns; /* by which a joined source's times were moved onto the recorder's clock */
} StrobeImport;

#endif
