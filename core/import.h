/* SPDX-License-Identifier: Apache-2.0 */
/* Results of others into captures: who reads a source, and reading it. */
#ifndef STROBE_CORE_IMPORT_H
#define STROBE_CORE_IMPORT_H

#include <glib.h>
#include <json-glib/json-glib.h>
#include <strobe/importer.h>
#include "config.h"
#include "pipeline.h"
#include "registry.h"
#include "result.h"

/* A source and the importer that reads it. */
typedef struct StrobeImportSource {
    char *path;
    const StrobeComponent *importer;
    char *format; /* as recognised, for people */
} StrobeImportSource;

/* What is to be read at `path`: it itself, or, of a folder that nobody reads as a whole, the
 * sources in it. `format` names the importer (NULL: whoever recognises it). A GPtrArray of
 * StrobeImportSource in order of their names, never empty; an error says why each importer
 * declined. */
GPtrArray *strobe_import_find(StrobeRegistry *registry, const char *path, const char *format,
                              GError **error);

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
    JsonObject *facts;
    gint64 shift_ns; /* by which a joined source's times were moved onto the recorder's clock */
} StrobeImport;

/* Reads the source and makes a result directory {host}_{pid}_{time}_ascend_pt (time of the first
 * record; a source of such a name keeps it) with FRAMEWORK/capture.strobe and the files that belong
 * beside it. With wish->join it is read into that capture, nothing is made, and `result` stays
 * empty. NULL on failure, with nothing left behind. */
StrobeImport *strobe_import_run(const StrobeImportSource *source, const StrobeImportWish *wish,
                                GError **error);
/* Lets each importer that can do so make the source readable, with the vendor's tools, whose output
 * goes to a file in the folder `logs`. `options` as for strobe_import_options. FALSE with the
 * reason of the first that could not. */
gboolean strobe_import_prepare(StrobeRegistry *registry, const char *path, int logs,
                               const GPtrArray *options, GError **error);
/* Of StrobeConfigComponents (NULL: none) that of this importer; NULL: its defaults. */
const StrobeConfigComponent *strobe_import_options(const GPtrArray *options,
                                                   const StrobeComponent *importer);
/* As strobe_import_find, for an importer that has `prepare`: it knows the raw data. NULL: none
 * reads the source. */
GPtrArray *strobe_import_find_raw(StrobeRegistry *registry, const char *path);
/* Calls `prepare` of one importer that has it. */
StrobeStatus strobe_import_call_prepare(const StrobeComponent *importer,
                                        const StrobeConfigComponent *options,
                                        const StrobeSource *source, int logs, GError **error);
void strobe_import_free(StrobeImport *import);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StrobeImport, strobe_import_free)

#endif
